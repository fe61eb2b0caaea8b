package mask_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/cellwall/cellwall/policy/mask"
)

// mixed is text in which everything meets everything: values, pieces of them, what
// stands around them.
func mixed(t *rapid.T) string {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	pieces := []func() string{
		func() string { return mobile(r).text },
		func() string { return residentID(r).text },
		func() string { return bankCard(r).text },
		func() string { return email(r).text },
		func() string { return international(r).text },
		func() string { return hardNegatives[r.IntN(len(hardNegatives))].make(r).text },
		func() string { return digits(r, 1+r.IntN(6)) },
		func() string { return wide(digits(r, 1+r.IntN(6))) },
		func() string { return strings.Repeat(digits(r, 1), 1+r.IntN(40)) },
		func() string { return strings.Repeat(one(r, "a", "-", "=", ".", "9-", "12 ", "x@"), r.IntN(90)) },
		func() string {
			return one(r, " ", "-", "+", "@", ".", "*", "＊", "\\", "\\n", "\\u5357", "\\x4", "'", "=", "电", "\xe7\x94", "\xef", "\xef\xbc", "://", ":", ".com", ".0", "X", "00", "86", "(", ") ", "_", "git@")
		},
	}
	var b strings.Builder
	for range rapid.IntRange(1, 12).Draw(t, "pieces") {
		b.WriteString(pieces[r.IntN(len(pieces))]())
	}
	return b.String()
}

func newMasker(patterns map[string]string) *mask.Masker {
	m, err := mask.New(patterns)
	if err != nil {
		panic(err)
	}
	return m
}

// own are patterns such as a tenant may have, on what mixed makes.
var own = map[string]string{"ticket": `[0-9]{3}[a-z]+`, "word": `电|\bfirst\b`}

// A user's name that is longer than what a stream looks back at is none to a whole
// text, either.
func TestM15_ALongNameInAnAddressOfAServerIsJudgedAlikeInPieces(t *testing.T) {
	m := newMasker(nil)
	for _, n := range []int{1, 100, 240, 300, 3000} {
		text := "see http://" + strings.Repeat("u", n) + ":secret@example.com/ and more"
		want := m.Text(text)
		if short := n < 250; (want == text) != short {
			t.Errorf("a name of %d: %q", n, want)
		}
		for _, size := range []int{1, 100} {
			s, got := m.Begin().Stream(), ""
			for at := 0; at < len(text); at += size {
				got += string(s.Push([]byte(text[at:min(at+size, len(text))])))
			}
			if got += string(s.Flush()); got != want {
				t.Errorf("a name of %d in pieces of %d: %q, and %q in one", n, size, got, want)
			}
		}
	}
}

func TestM15_TheSameIsMaskedWhereverAStreamIsCut(t *testing.T) {
	for _, patterns := range []map[string]string{nil, own} {
		m := newMasker(patterns)
		rapid.Check(t, func(t *rapid.T) {
			text := mixed(t)
			if rapid.Bool().Draw(t, "long") { // a line that is looked at in parts
				text += strings.Repeat("12ab ", rapid.IntRange(0, 8000).Draw(t, "more")) + mixed(t)
			}
			whole, pieces := m.Begin(), m.Begin()
			want := whole.Text(text)
			s, got, rest := pieces.Stream(), "", text
			for rest != "" {
				n := rapid.IntRange(1, min(len(rest), rapid.SampledFrom([]int{1, 3, 40, 4096}).Draw(t, "most"))).Draw(t, "cut")
				if len(rest) > 2000 {
					n = 1 + len(rest)/3
				}
				got += string(s.Push([]byte(rest[:n])))
				rest = rest[n:]
				if held := len(text) - len(rest) - len(got); held > 600 && patterns == nil || held > 20<<10 {
					t.Fatalf("%d bytes are held", held)
				}
			}
			got += string(s.Flush())
			if got != want {
				t.Fatalf("%q\nwhole  %q\npieces %q", text, want, got)
			}
			if !maps.Equal(whole.Counts(), pieces.Counts()) {
				t.Fatalf("%q: %v in pieces, %v as a whole", text, pieces.Counts(), whole.Counts())
			}
		})
	}
}

func TestM15_WhatIsMaskedStaysAsItIs(t *testing.T) {
	m := newMasker(nil)
	rapid.Check(t, func(t *rapid.T) { keepsItsPromise(t, m, mixed(t)) })
}

type failing interface {
	Fatalf(format string, args ...any)
}

// keepsItsPromise holds for any text.
func keepsItsPromise(t failing, m *mask.Masker, text string) {
	first, second := m.Begin(), m.Begin()
	once, counts := first.Text(text), first.Counts()
	if len(once) != len(text) || utf8.ValidString(text) && !utf8.ValidString(once) ||
		utf8.RuneCountInString(once) != utf8.RuneCountInString(text) {
		t.Fatalf("%q became %q", text, once)
	}
	if (len(counts) > 0) != (once != text) {
		t.Fatalf("%q became %q, and %v are counted", text, once, counts)
	}
	if twice := second.Text(once); twice != once || len(second.Counts()) > 0 {
		t.Fatalf("%q\nonce  %q\ntwice %q, %v", text, once, twice, second.Counts())
	}
}

func FuzzText(f *testing.F) {
	for _, l := range labelledSet(3, 100, 100) {
		f.Add(l.text)
	}
	m := newMasker(nil)
	f.Fuzz(func(t *testing.T, text string) {
		keepsItsPromise(t, m, text)
		s, got := m.Begin().Stream(), ""
		for i := range len(text) {
			got += string(s.Push([]byte(text[i : i+1])))
		}
		if got += string(s.Flush()); got != m.Text(text) {
			t.Fatalf("%q: byte by byte %q", text, got)
		}
	})
}

// busy is the processor's time of this process.
func busy() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStream pushes what programs print, in pieces of 32 KiB. The bar is 50 MB/s.
func BenchmarkStream(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 5))
	texts := map[string]func() string{
		"prose": func() string {
			return "The mean of 利润 by region was computed for each quarter, and the chart was saved.\n"
		},
		"numbers": func() string {
			return fmt.Sprintf("%6d  %10.4f  %8.2f  %d\n", r.IntN(1e5), r.Float64(), r.Float64()*1e4, r.IntN(1e9))
		},
		"personal": func() string {
			return inContext(r, mobile(r)).text + inContext(r, email(r)).text + inContext(r, residentID(r)).text
		},
		"hard":   func() string { return inContext(r, hardNegatives[r.IntN(len(hardNegatives))].make(r)).text },
		"base64": func() string { return strings.Repeat(word(r), 9) },
	}
	for name, write := range texts {
		b.Run(name, func(b *testing.B) {
			var t strings.Builder
			for t.Len() < 1<<20 {
				t.WriteString(write())
			}
			text := []byte(t.String()[:1<<20])
			s := newMasker(nil).Begin().Stream()
			before := busy()
			for b.Loop() {
				for at := 0; at < len(text); at += 32 << 10 {
					s.Push(text[at : at+32<<10])
				}
				s.Flush()
			}
			b.ReportMetric(float64(len(text))*float64(b.N)/1e6/(busy()-before).Seconds(), "MB/cpu-s")
		})
	}
}

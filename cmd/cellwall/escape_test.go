package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscaper_joins_characters_that_come_in_pieces(t *testing.T) {
	const text = "销售额 ¥1,280 \x1b[31m👩 \xff end\xe5"
	for cut := 1; cut < 6; cut++ {
		var got bytes.Buffer
		e := &escaper{to: &got}
		for rest := []byte(text); len(rest) > 0; {
			n := min(cut, len(rest))
			if wrote, err := e.Write(rest[:n]); wrote != n || err != nil {
				t.Fatalf("Write = %d, %v", wrote, err)
			}
			rest = rest[n:]
		}
		if err := e.Flush(); err != nil {
			t.Fatal(err)
		}
		if want := `销售额 ¥1,280 \x1b[31m👩 \xff end\xe5`; got.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", cut, got.String(), want)
		}
	}
}

func FuzzEscaper(f *testing.F) {
	f.Add([]byte("a\x1b[2J"), 3)
	f.Add([]byte("\xf0\x9f\x91\xa9"), 1)
	f.Fuzz(func(t *testing.T, p []byte, cut int) {
		cut = max(0, min(cut, len(p)))
		var got bytes.Buffer
		e := &escaper{to: &got}
		e.Write(p[:cut])
		e.Write(p[cut:])
		e.Flush()
		if s := got.String(); !utf8.ValidString(s) || strings.ContainsAny(s, "\x1b\a\b\r\x7f\x00") {
			t.Errorf("a terminal would obey %q", s)
		}
	})
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
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

// The name of an exception that a cell made is the label of what it said.
func TestScreen_neither_label_nor_text_moves_a_terminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &screen{file: f, terminal: true, colors: true}
	s.say(red, "\x1b]0;title\aE", ": \x1b[2J")
	got, err := os.ReadFile(f.Name())
	if want := "\x1b[31m" + `\x1b]0;title\x07E` + "\x1b[0m" + `: \x1b[2J` + "\n"; err != nil || string(got) != want {
		t.Errorf("wrote %q, %v, want %q", got, err, want)
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

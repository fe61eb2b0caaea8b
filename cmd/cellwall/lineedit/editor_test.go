package lineedit

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeysMakeTheCellThatTheyStandFor(t *testing.T) {
	for _, c := range []struct{ name, keys, want string }{
		{"a line", "1+1\r", "1+1"},
		{"a block ends with an empty line", "for i in x:\rprint(i)\r\r", "for i in x:\n    print(i)\n    "},
		{"the indentation goes back by a level", "if a:\rif b:\rc\r\x7fd\r\r", "if a:\n    if b:\n        c\n    d\n    "},
		{"Alt-Enter begins a line", "a\x1b\rb\r\r", "a\nb\n"},
		{"Enter in the middle of a cell begins a line", "if a:\rb\x1b[A\x1b[Hx\r\x1b[B\x1b[F\r\r", "x\nif a:\n    b\n    "},
		{"arrows and Delete", "abc\x1b[D\x1b[D\x1b[3~\x1b[C!\r", "ac!"},
		{"ends of the line", "bc\x01a\x05d\r", "abcd"},
		{"words", "one two\x1bb\x1b[1;5DX\x1bfY\r", "XoneY two"},
		{"cut and put back", "one two\x17\x01\x19 \r", "two one "},
		{"cut to both ends", "one two\x1bb\x0b\x15\x19\r", "one "},
		{"an edit is taken back", "abc\x1b[D\x7f\x1f\r", "abc"},
		{"a word that was typed is taken back whole", "abc\x1f\rdef\r", ""},
		{"a paste is taken as it is", "\x1b[200~a\r\nb\tc\x1b[201~\r\r", "a\nb\tc\n"},
		{"what shows as one character is one", "a👩‍👩‍👧‍👦é\x7f\x7fb\r", "ab"},
		{"Chinese", "数据\x1b[D大\r", "数大据"},
		{"Tab indents at the beginning of a line", "\tx\r", "    x"},
		{"Shift-Tab takes it back", "\tx\x1b[Z\r", "x"},
		{"keys that nobody knows are nothing", "a\x1b[99~\x1b[1;9Z\x1bOQb\r", "ab"},
		{"a sequence without an end is let go", "a\x1b[" + strings.Repeat("1", 2*maxSequence) + "b\r", "a" + strings.Repeat("1", 2*maxSequence-maxSequence+1) + "b"},
		{"bytes that are no UTF-8", "a\xffb\r", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(t, Options{Finished: blocks}, c.keys)
			if got != c.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestKeysMayComeInPieces(t *testing.T) {
	e, _ := typed(t, Options{}, 80, 24, "")
	e.keys = newSource(&slowly{"数\x1b[200~据\x1b[201~\x1b[D大\r"})
	if got, err := e.Read(context.Background(), Prompt{}); got != "数大据" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAReadEnds(t *testing.T) {
	for keys, want := range map[string]error{"abc\x03": ErrInterrupt, "\x04": io.EOF, "abc": io.EOF} {
		if _, err := read(t, Options{}, keys); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", keys, err, want)
		}
	}
	if got, err := read(t, Options{}, "ab\x1b[D\x04\r"); got != "a" || err != nil {
		t.Errorf("Ctrl-D in a cell: %q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e, _ := typed(t, Options{}, 80, 24, "")
	r, w := io.Pipe() // nobody types
	defer w.Close()
	e.keys = newSource(r)
	if _, err := e.Read(ctx, Prompt{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled read: %v", err)
	}
}

func TestWhatWasTypedAheadStays(t *testing.T) {
	e, _ := typed(t, Options{}, 80, 24, "a\rb\r")
	for _, want := range []string{"a", "b"} {
		if got, err := e.Read(context.Background(), Prompt{}); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}

func TestAHugePasteIsBoundedAndEnds(t *testing.T) {
	got, err := read(t, Options{}, "\x1b[200~"+strings.Repeat("x", 3*maxPaste)+"\x1b[201~\r")
	if len(got) != maxPaste || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestHistoryIsWalkedAndSearched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{"old()", "for i in x:\n    print(i)\n", "new()", "new()", " secret", ""} {
		h.add(cell)
	}
	if h, err = OpenHistory(path); err != nil || len(h.cells) != 3 {
		t.Fatalf("read back: %q, %v", h.cells, err)
	}
	for _, c := range []struct{ name, keys, want string }{
		{"the latest", "\x1b[A\r", "new()"},
		{"back to what was being written", "x\x1b[A\x1b[B\r", "x"},
		{"a cell of several lines is walked through line by line", "\x1b[A\x1b[A\x1b[A\x1b[A\r", "old()"},
		{"a search", "\x12ld(\r\r", "old()"},
		{"the next older", "\x12(\x12\x1b[C\r\r", "for i in x:\n    print(i)\n    "},
		{"a search that is given up", "x\x12old\x07\r", "x"},
		{"a search without an end finds nothing", "x\x12zzz\r\r", "x"},
		{"a shorter word finds again", "\x12oldx\x7f\r\r", "old()"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(t, Options{History: &History{path: path, cells: h.cells}, Finished: blocks}, c.keys)
			if got != c.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestCompletionInsertsAndOffers(t *testing.T) {
	columns := func(text string, cursor int) ([]string, int, int) {
		start := strings.LastIndexByte(text[:cursor], ' ') + 1
		return []string{"df.columns", "df.copy", "df.corr"}, start, cursor
	}
	for _, c := range []struct{ name, keys, want string }{
		{"what all share", "x df.\t\r", "x df.co"},
		{"the first", "x df.co\t\t\r\r", "x df.columns"},
		{"the next", "df.co\t\t\t\r\r", "df.copy"},
		{"the one before", "df.co\t\t\x1b[Z\r\r", "df.corr"},
		{"it is given up", "df.co\t\t\x07\r", "df.co"},
		{"typing takes the choice", "df.co\t\t(\r", "df.columns("},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(t, Options{Complete: columns}, c.keys)
			if got != c.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// What completes comes out of a sandbox.
func TestO112_HostileCandidatesAreNotOffered(t *testing.T) {
	many := make([]string, 3*maxOffered)
	for i := range many {
		many[i] = numbered(i)
	}
	for name, matches := range map[string][]string{
		"escapes": {"a\x1b[2J"}, "bidi": {"a\u202eb"}, "no UTF-8": {"a\xff"}, "long": {strings.Repeat("x", maxCandidate+1)}, "newline": {"a\nb"}, "many": many,
	} {
		got, err := read(t, Options{Complete: func(string, int) ([]string, int, int) { return matches, 0, 1 }}, "a\t\r")
		if got != "a" && name != "many" || err != nil || len(offered(matches)) > maxOffered {
			t.Errorf("%s: %.40q, %v", name, got, err)
		}
	}
	for _, at := range [][2]int{{-1, 1}, {0, 9}, {1, 0}, {1 << 40, 1 << 41}} {
		got, err := read(t, Options{Complete: func(string, int) ([]string, int, int) { return []string{"abc"}, at[0], at[1] }}, "a\t\r")
		if got != "a" || err != nil {
			t.Errorf("places %v: %q, %v", at, got, err)
		}
	}
}

func TestAskTakesTheAnswerAndLeavesTheRest(t *testing.T) {
	e, _ := typed(t, Options{}, 80, 24, "early\x1b[?62;4cx\r")
	answer, err := e.Ask(context.Background(), "\x1b[c", func(b []byte) (int, int) {
		return strings.IndexByte(string(b), 0x1b), strings.IndexByte(string(b), 'c') + 1
	})
	if string(answer) != "\x1b[?62;4c" || err != nil {
		t.Errorf("answer %q, %v", answer, err)
	}
	if got, err := e.Read(context.Background(), Prompt{}); got != "earlyx" || err != nil {
		t.Errorf("then %q, %v", got, err)
	}
	r, w := io.Pipe() // a terminal that says nothing
	defer w.Close()
	e.keys = newSource(r)
	if answer, err := e.Ask(context.Background(), "", func([]byte) (int, int) { return 0, 0 }); answer != nil || err != nil {
		t.Errorf("without an answer: %q, %v", answer, err)
	}
}

func FuzzEditor(f *testing.F) {
	for _, keys := range []string{"a\rb", "\x1b[200~x\x1b[201~", "\x12\x12ab\r", "df\t\t\x1b[Z\r", "数\x1b[D\x7f\x17\x19\x1f"} {
		f.Add(keys, uint8(10))
	}
	f.Fuzz(func(t *testing.T, keys string, width uint8) {
		h := &History{path: filepath.Join(t.TempDir(), "h"), cells: []string{"a\nb", "数据"}}
		e, _ := typed(t, Options{History: h, Finished: blocks, Complete: func(text string, cursor int) ([]string, int, int) {
			return []string{"ab", "ac"}, max(0, cursor-1), cursor
		}}, 8+int(width%100), 5, keys)
		e.paint.out = io.Discard
		for range 100 {
			if _, err := e.Read(context.Background(), Prompt{First: "In [1]: ", More: "   ...: "}); err != nil && !errors.Is(err, ErrInterrupt) {
				return
			}
			if e.buf.cursor < 0 || e.buf.cursor > len(e.buf.text) {
				t.Fatalf("cursor %d in %q", e.buf.cursor, e.buf.String())
			}
		}
	})
}

package controller

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/cellwall/cellwall"
)

func TestM15_output_keeps_head_and_tail_and_counts_everything(t *testing.T) {
	s := stream{keep: 64}
	for i := range 1000 {
		s.write(fmt.Appendln(nil, i))
	}
	o := s.output()
	if !o.Truncated || o.Bytes != 3890 || !strings.HasPrefix(o.Text, "0\n1\n2\n") || !strings.HasSuffix(o.Text, "998\n999\n") {
		t.Errorf("%+v", o)
	}
	if !strings.Contains(o.Text, "3762 bytes left out") {
		t.Errorf("the cut is not told: %q", o.Text)
	}
}

func TestM15_output_never_splits_a_character_at_the_cut(t *testing.T) {
	for keep := 1; keep < 24; keep++ {
		s := stream{keep: keep}
		s.write([]byte(strings.Repeat("¥字👩", 50)))
		if o := s.output(); strings.ContainsRune(o.Text, utf8.RuneError) || !utf8.ValidString(o.Text) {
			t.Errorf("keep %d: %q", keep, o.Text)
		}
	}
}

func TestM15_output_replaces_what_is_no_text(t *testing.T) {
	s := stream{keep: 64}
	s.write([]byte("a\xff\xfeb\xe5"))
	if o := s.output(); o.Text != "a\uFFFDb\uFFFD" || o.Bytes != 5 || o.Truncated {
		t.Errorf("%+v", o)
	}
}

// TestM15_output_is_right_for_any_writes compares with keeping everything.
func TestM15_output_is_right_for_any_writes(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		keep := rapid.IntRange(1, 20).Draw(t, "keep")
		room := rapid.Int64Range(0, 100).Draw(t, "room")
		s := stream{keep: keep, spool: spool{path: filepath.Join(dir, fmt.Sprint(n)), room: room}}
		var all []byte
		for _, p := range rapid.SliceOf(rapid.SliceOfN(rapid.ByteRange('a', 'z'), 0, 50)).Draw(t, "writes") {
			s.write(p)
			all = append(all, p...)
		}
		if err := s.spool.close(); err != nil {
			t.Fatal(err)
		}
		o := s.output()
		cutting := len(all) > 2*keep
		if o.Bytes != int64(len(all)) || o.Truncated != cutting {
			t.Fatalf("%d bytes, truncated %v of %d", o.Bytes, o.Truncated, len(all))
		}
		if !cutting {
			if o.Text != string(all) || s.spool.begun {
				t.Fatalf("%q, log begun %v", o.Text, s.spool.begun)
			}
			return
		}
		if !strings.HasPrefix(o.Text, string(all[:keep])+"\n[…") || !strings.HasSuffix(o.Text, "…]\n"+string(all[len(all)-keep:])) {
			t.Fatalf("%q of %q", o.Text, all)
		}
		log, err := os.ReadFile(s.spool.path)
		if err != nil || !bytes.Equal(log, all[:min(int64(len(all)), room)]) {
			t.Fatalf("log %q, %v", log, err)
		}
	})
}

func TestM15_a_log_that_cannot_be_kept_does_not_end_the_run(t *testing.T) {
	s := stream{keep: 4, spool: spool{path: "/proc/none/x.log", room: 100}}
	s.write([]byte("0123456789"))
	if o := s.output(); o.Bytes != 10 || s.spool.close() == nil {
		t.Errorf("%+v, want an error from the log only", o)
	}
}

func TestCollector_bounds_what_a_hostile_guest_sends(t *testing.T) {
	c := newCollector(cellwall.DefaultLimits(), func(string) string { return "" }, nil)
	rich := &cellwall.Rich{}
	for range maxResults + 7 {
		c.collect(cellwall.Event{Kind: cellwall.EventResult, Rich: rich})
	}
	for range maxNotices + 7 {
		c.collect(cellwall.Event{Kind: cellwall.EventNotice, Data: []byte(`{"code":"x"}`)})
	}
	huge := fmt.Appendf(nil, `{"type":%q,"message":%q,"line":-5}`, strings.Repeat("字", 1000), strings.Repeat("m", 1<<20))
	c.collect(cellwall.Event{Kind: cellwall.EventError, Data: huge})
	c.collect(cellwall.Event{Kind: cellwall.EventTables, Data: []byte("not json")})
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	if len(c.results) != maxResults || c.dropped != 7 || len(c.notices) != maxNotices+1 {
		t.Errorf("%d results, %d dropped, %d notices", len(c.results), c.dropped, len(c.notices))
	}
	if f := c.failure; len(f.Message) > 16<<10 || !utf8.ValidString(f.Type) || f.Line != 0 {
		t.Errorf("error of %d bytes, type %q, line %d", len(f.Message), f.Type, f.Line)
	}
}

package session

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cellwall/cellwall"
)

func TestM40_AHistoryIsBounded(t *testing.T) {
	s := create(t, newKernel(), Options{History: 4, HistoryBytes: 250})
	long := strings.Repeat("x", 100)
	for range 6 {
		run(t, s, long)
	}
	h := s.History()
	if len(h) != 4 || h[0].Number != 3 || h[3].Number != 6 {
		t.Fatalf("%d cells, from %d", len(h), h[0].Number)
	}
	for i, want := range []bool{false, false, true, true} { // 2 × 100 bytes fit
		if e := h[i]; e.Outputs != want || (e.Result.Stdout.Text == long) != want || e.Code != long || !e.Live {
			t.Errorf("cell %d: outputs %v, %d bytes, live %v", e.Number, e.Outputs, len(e.Result.Stdout.Text), e.Live)
		}
	}
	run(t, s, "die", "1")
	if h := s.History(); h[2].Live || !h[3].Live || h[3].Number != 8 {
		t.Errorf("history %+v", h)
	}
}

// The caller may go on writing into its result, and the history into its own.
func TestM40_AHistoryIsItsOwn(t *testing.T) {
	s := create(t, newKernel(), Options{HistoryBytes: 4})
	first := run(t, s, "abc")
	first.Artifacts = append(first.Artifacts, cellwall.Artifact{Name: "a.png"})
	run(t, s, "defg")
	if first.Stdout.Text != "abc" {
		t.Error("what the caller was given is gone")
	}
	if h := s.History(); h[0].Outputs || len(h[0].Result.Artifacts) != 0 {
		t.Errorf("history %+v", h[0])
	}
}

func TestM40_OutputsAreWeighedWhole(t *testing.T) {
	r := &cellwall.Result{Stdout: cellwall.Output{Text: "abc"}, Stderr: cellwall.Output{Text: "de"}, Results: []cellwall.Rich{
		{Data: map[string]json.RawMessage{"text/plain": []byte(`"fgh"`)}},
	}}
	if got := outputBytes(r); got != 3+2+10+5 {
		t.Errorf("%d bytes", got)
	}
}

func TestM40_FilesAreListedWithinBounds(t *testing.T) {
	k := newKernel()
	s := create(t, k, Options{})
	k.files = fstest.MapFS{"b/c/d.csv": {Data: []byte("x")}, "b/a.txt": {Data: []byte("yz")}, "z.png": {}}
	files, more, err := s.Files(t.Context())
	if err != nil || more {
		t.Fatal(err, more)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "b z.png b/a.txt b/c b/c/d.csv" || files[2].Bytes != 2 || !files[0].Mode.IsDir() {
		t.Errorf("files %q, %+v", got, files)
	}
	many := fstest.MapFS{}
	for i := range maxFiles + 1 {
		many["d/"+strings.Repeat("x", i%200+1)+string(rune('a'+i/200))] = &fstest.MapFile{}
	}
	k.files = many
	if files, more, err := s.Files(t.Context()); err != nil || !more || len(files) != maxFiles {
		t.Errorf("%d files, more %v, %v", len(files), more, err)
	}
	deep := strings.Repeat(strings.Repeat("n", 200)+"/", 300)
	k.files = fstest.MapFS{deep + "end": {}}
	files, more, err = s.Files(t.Context())
	total := 0
	for _, f := range files {
		total += len(f.Name)
	}
	if err != nil || !more || total > maxNameBytes+len(deep) {
		t.Errorf("%d bytes of names in %d files, more %v, %v", total, len(files), more, err)
	}
}

// plain is an interpreter that can only run cells.
type plain struct {
	*kernel
	bare cellwall.Interpreter
}

func (p *plain) Interpreter() cellwall.Interpreter { return struct{ cellwall.Interpreter }{p.bare} }

func TestM40_WhatABackendCannotIsSaid(t *testing.T) {
	k := newKernel()
	s := create(t, k, Options{})
	s.live = &plain{k, interpreter{k}}
	for name, call := range map[string]func() error{
		"checkpoints": func() error { _, err := s.Checkpoints(t.Context()); return err },
		"rollback":    func() error { _, err := s.Rollback(t.Context(), cellwall.Return{}); return err },
		"undo":        func() error { _, err := s.Undo(t.Context()); return err },
		"branch":      func() error { _, err := s.Branch(t.Context(), "b"); return err },
		"pause":       func() error { return s.Pause(t.Context()) },
	} {
		if err := call(); cellwall.CodeOf(err) != cellwall.CodeProtectionMissing || !strings.Contains(err.Error(), "this backend cannot") || cellwall.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	run(t, s, "x")
}

package artifact

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// workspace is an output directory that a test writes, and what was harvested of it.
type workspace struct {
	t   *testing.T
	dir string
	f   *Follower
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	store, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return &workspace{t: t, dir: t.TempDir(), f: store.Follow()}
}

// write makes a file that was changed age ago.
func (p *workspace) write(name, content string, age time.Duration) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	when := time.Now().Add(-age)
	if err := os.Chtimes(path, when, when); err != nil {
		p.t.Fatal(err)
	}
}

// harvest checks which names are taken and which refused.
func (p *workspace) harvest(step string, taken, refused []string) {
	p.t.Helper()
	got, skipped, err := p.f.Harvest(p.t.Context(), os.DirFS(p.dir), cellwall.Limits{})
	if err != nil {
		p.t.Fatal(err)
	}
	var names, bad []string
	for _, a := range got {
		names = append(names, a.Name)
	}
	for _, s := range skipped {
		bad = append(bad, s.Name)
	}
	if !slices.Equal(names, taken) || !slices.Equal(bad, refused) {
		p.t.Errorf("%s: took %v, want %v; refused %v, want %v", step, names, taken, bad, refused)
	}
}

func TestM14_ASessionDeliversWhatACellMadeOrChanged(t *testing.T) {
	p := newWorkspace(t)
	const old = time.Hour
	p.write("a.txt", "one", old)
	p.write("b/c.csv", "x\n1\n", old)
	p.write("d.pkl", "\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00.", old)
	if err := os.Symlink("/etc/passwd", filepath.Join(p.dir, "link")); err != nil {
		t.Fatal(err)
	}
	p.harvest("first cell", []string{"a.txt", "b/c.csv"}, []string{"d.pkl", "link"})
	p.harvest("nothing new", nil, nil)
	p.write("a.txt", "two", old/2)
	p.write("e.txt", "new", old)
	p.harvest("one changed, one new", []string{"a.txt", "e.txt"}, nil)
	p.write("a.txt", "two", old/4)
	p.harvest("written again with the same content", []string{"a.txt"}, nil)
	if err := os.Remove(filepath.Join(p.dir, "e.txt")); err != nil {
		t.Fatal(err)
	}
	p.harvest("one removed", nil, nil)
	p.write("e.txt", "new", old)
	p.harvest("and made again", []string{"e.txt"}, nil)
	p.write("d.pkl", "\x80\x04\x95\x01\x00\x00\x00\x00\x00\x00\x00.", old/2)
	p.harvest("what is refused is told again when it changed", nil, []string{"d.pkl"})
}

// Cells take a millisecond, and the clock of files moves every four or ten: the
// times of two writes may be equal.
func TestM14_TwoWritesWithinOneTickAreTwoArtifacts(t *testing.T) {
	p := newWorkspace(t)
	now := time.Now().Add(time.Second) // as fresh as can be, and the same each time
	same := func(content string) {
		p.write("a.txt", content, 0)
		if err := os.Chtimes(filepath.Join(p.dir, "a.txt"), now, now); err != nil {
			t.Fatal(err)
		}
	}
	same("one")
	p.harvest("first", []string{"a.txt"}, nil)
	p.harvest("looked at again", nil, nil)
	same("two")
	p.harvest("second", []string{"a.txt"}, nil)
	if err := os.WriteFile(filepath.Join(p.dir, "no.pkl"), []byte("\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00."), 0o600); err != nil {
		t.Fatal(err)
	}
	p.harvest("refused", nil, []string{"no.pkl"})
	p.harvest("refused for the same reason", nil, nil)
}

func TestM40_WhatARollbackPutThereIsNoArtifactOfTheNextCell(t *testing.T) {
	p := newWorkspace(t)
	p.write("a.txt", "before", time.Hour)
	p.harvest("first cell", []string{"a.txt"}, nil)
	p.write("a.txt", "after", 0)
	p.write("b.txt", "after", 0)
	p.harvest("second cell", []string{"a.txt", "b.txt"}, nil)
	p.write("a.txt", "before", time.Hour)
	if err := os.Remove(filepath.Join(p.dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	if err := p.f.Settle(t.Context(), os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	p.harvest("cell after the rollback", nil, nil)
	p.write("b.txt", "after", 0)
	p.harvest("cell that writes again", []string{"b.txt"}, nil)
}

// A file that a rollback put there keeps the time of its cell, which may be this
// very moment: then the next looks read it, and it is nobody's artifact.
func TestM40_WhatARollbackPutThereAMomentAgoIsNoArtifactEither(t *testing.T) {
	p := newWorkspace(t)
	p.write("a.txt", "before", -time.Second)
	if err := p.f.Settle(t.Context(), os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	p.harvest("cell after the rollback", nil, nil)
	p.harvest("cell after that", nil, nil)
	p.write("a.txt", "ano1er", -time.Second)
	p.harvest("cell that writes", []string{"a.txt"}, nil)
}

func TestM14_ABrokenWalkForgetsNothing(t *testing.T) {
	p := newWorkspace(t)
	p.write("a.txt", "one", time.Hour)
	p.harvest("first", []string{"a.txt"}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := p.f.Harvest(ctx, os.DirFS(p.dir), cellwall.Limits{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	p.harvest("after it", nil, nil)
}

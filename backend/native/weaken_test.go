//go:build cellwall_weaken

package native

import (
	"bytes"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
)

// A patch that matched within a line would leave a piece of the line behind:
// the driver would fail for that, and the hole never be tried.
func TestWeaken_EveryPatchTakesWholeLinesOfTheDriver(t *testing.T) {
	for p, change := range patches {
		text := driverFile(t, change.file)
		got, err := change.apply(text)
		if err != nil {
			t.Errorf("protection %d: %v", p, err)
			continue
		}
		if want := bytes.Replace(text, []byte(change.from), []byte(change.to), 1); !bytes.Equal(got, want) {
			t.Errorf("protection %d: the patched %s is\n%s\nwant\n%s", p, change.file, got, want)
		}
		cut := change
		cut.from = strings.TrimPrefix(change.from, "    ")
		if _, err := cut.apply(text); err == nil {
			t.Errorf("protection %d: what begins within a line is taken for a line: %q", p, cut.from)
		}
	}
}

func TestWeaken_WhatIsTakenAwayIsSaid(t *testing.T) {
	t.Setenv(weakenVariable, "seccomp")
	var log bytes.Buffer
	b, err := New(Options{StateDir: t.TempDir(), Self: []string{"/proc/self/exe"}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	degraded, err := b.protections(cellwall.Spec{AllowDegraded: true})
	if err != nil || !slices.Contains(degraded, "seccomp") {
		t.Errorf("the boundary names %v, %v", degraded, err)
	}
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "protection=seccomp") {
		t.Errorf("the log says %q", log.String())
	}
}

func driverFile(t *testing.T, name string) (text []byte) {
	t.Helper()
	source := guest.Driver()
	err := fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() == name {
			text, err = fs.ReadFile(source, path)
		}
		return err
	})
	if err != nil || text == nil {
		t.Fatalf("find %s: %v", name, err)
	}
	return text
}

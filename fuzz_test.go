package cellwall_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fuzzed is a package with two targets, indented: what begins a line the long suite
// would take for targets of ours.
const fuzzed = `package x

import "testing"

	func FuzzHolds(f *testing.F) {
		f.Add([]byte("seed"))
		f.Fuzz(func(*testing.T, []byte) {})
	}

	func FuzzBreaks(f *testing.F) {
		f.Add([]byte("seed"))
		f.Fuzz(func(t *testing.T, b []byte) {
			if len(b) > 2 && b[0] != 's' {
				t.Error("found")
			}
		})
	}
`

// TestFuzzing_EndsWellOnlyWhenNothingWasFound runs scripts/fuzz.sh over a target that
// holds and over one that does not. The first one several times: the end of the time
// must never be taken for a find.
func TestFuzzing_EndsWellOnlyWhenNothingWasFound(t *testing.T) {
	script, err := filepath.Abs("scripts/fuzz.sh")
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.org/fuzzed\n\ngo 1.26\n",
		"x_test.go": fuzzed,
	} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fuzz := func(name, seconds string) (string, error) {
		program := exec.CommandContext(t.Context(), script, name, seconds, ".")
		program.Dir = module
		out, err := program.CombinedOutput()
		return string(out), err
	}
	for range 3 {
		if out, err := fuzz("FuzzHolds", "2"); err != nil || !strings.Contains(out, "now fuzzing") || !strings.Contains(out, "\nPASS") {
			t.Errorf("a target that holds: %v: %s", err, out)
		}
	}
	out, err := fuzz("FuzzBreaks", "30")
	if finds, _ := filepath.Glob(filepath.Join(module, "testdata/fuzz/FuzzBreaks/*")); err == nil || len(finds) != 1 {
		t.Errorf("a target that breaks: %v, %d finds kept: %s", err, len(finds), out)
	}
	if out, err := fuzz("FuzzNobody", "1"); err == nil {
		t.Errorf("a target that is none: %s", out)
	}
}

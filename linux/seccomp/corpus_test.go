package seccomp

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// python is the interpreter of the corpus. The tests need Python 3 anyway.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Fatalf("find python3, which the tests need: %v", err)
	}
	out, err := exec.CommandContext(t.Context(), path, "-c", "import sys; print(end=sys.executable)").Output()
	if err != nil {
		t.Fatalf("run python3: %v", err)
	}
	return string(out) // the interpreter behind any script that stands in for it
}

// TestStandardLibraryRunsUnderTheFilter runs testdata/corpus.py, which fails
// where a refused call changes what a program does.
func TestStandardLibraryRunsUnderTheFilter(t *testing.T) {
	script, err := filepath.Abs(filepath.Join("testdata", "corpus.py"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSupervisor(t)
	l, cmd, out := underFilter(t, s, python(t), "-I", script)
	cmd.Dir = "/"
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	ended(t, l)
	if counts := l.Counts(); len(counts) > 0 {
		t.Errorf("refused: %v", counts)
	}
	t.Log(out)
}

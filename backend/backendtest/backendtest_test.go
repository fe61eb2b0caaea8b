package backendtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/backendtest"
)

func TestMain(m *testing.M) { backendtest.Main(m) }

// TestControls takes the environment in CELLWALL_TEST_ROOT when there is one.
// Otherwise the host's own root and Python, below a writable layer of memory,
// will do: no control needs more than the standard library.
func TestControls(t *testing.T) {
	root := os.Getenv("CELLWALL_TEST_ROOT")
	if root != "" {
		backendtest.Controls(t, cellwall.Environment{Name: "test", Root: root, Interpreter: "/usr/bin/python3"})
		return
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("not measured, proof: %v", err)
	}
	if python, err = filepath.EvalSymlinks(python); err != nil {
		t.Fatal(err)
	}
	backendtest.Controls(t, cellwall.Environment{Name: "host", Root: "/", Interpreter: python})
}

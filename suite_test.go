package cellwall_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestASliceThatCannotRunProvesNothing runs the long suite over slices that end
// in each way, with its proofs somewhere else.
func TestASliceThatCannotRunProvesNothing(t *testing.T) {
	for _, tc := range []struct{ command, end, age, status string }{
		{"exit 0", "test-all 1/1: ok", "", "status 0"},
		{"exit 77", "test-all 1/1: not measured x", "not measured on ", "status 0"},
		{"exit 1", "test-all 1/1: FAILED x", "failed on ", "status 1"},
	} {
		program := exec.Command("python3", "-c", `
import pathlib, sys
sys.path.insert(0, "scripts")
sys.dont_write_bytecode = True
import long_suite
long_suite.PROOFS = pathlib.Path(sys.argv[1])
long_suite.all_slices = lambda: [long_suite.Slice("x", (".",), sys.argv[2])]
print("status", long_suite.run(""))
print("age", long_suite.age(long_suite.all_slices()[0]))
`, t.TempDir(), tc.command)
		out, err := program.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, want := range []string{tc.end, "age " + tc.age, tc.status} {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: it said %q, want %q", tc.command, out, want)
			}
		}
	}
}

package cellwall_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
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

// TestEveryTestIsRunByOneStep holds scripts/test.sh to its two lists: what the raced
// step skips by name the other one runs, in the folders that it names.
func TestEveryTestIsRunByOneStep(t *testing.T) {
	script, err := os.ReadFile("scripts/test.sh")
	if err != nil {
		t.Fatal(err)
	}
	walls := regexp.MustCompile(`(?m)^walls='(.*)'$`).FindSubmatch(script)
	step := regexp.MustCompile(`(?m)^wall_tests\(\) .* -run "\$walls" (.*); }$`).FindSubmatch(script)
	if walls == nil || step == nil {
		t.Fatal("scripts/test.sh does not say what the steps run")
	}
	skipped, found := regexp.MustCompile(string(walls[1])), 0
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	eachFile(t, isGoTest, func(name string, source []byte) {
		dir := path.Dir(name)
		for _, declared := range test.FindAllSubmatch(source, -1) {
			if !skipped.Match(declared[1]) {
				continue
			}
			found++
			if !slices.ContainsFunc(strings.Fields(string(step[1])), func(folder string) bool {
				folder, whole := strings.CutSuffix(strings.TrimPrefix(folder, "./"), "/...")
				return dir == folder || whole && strings.HasPrefix(dir+"/", folder+"/")
			}) {
				t.Errorf("%s: no step runs %s", name, declared[1])
			}
		}
	})
	if found < 20 {
		t.Errorf("%d tests are skipped by name", found)
	}
}

func isGoTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// eachFile hands over every file of the tree whose name is taken, but of folders
// that begin with a dot.
func eachFile(t *testing.T, takes func(name string) bool, do func(name string, text []byte)) {
	t.Helper()
	tree := os.DirFS(".")
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir() || !takes(name):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err == nil {
			do(name, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

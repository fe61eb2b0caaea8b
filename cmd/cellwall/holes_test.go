package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/pentest"
)

// weakVariable is the switch of a build with the tag cellwall_weaken.
const weakVariable = "CELLWALL_WEAKEN"

// holes are the protections that can be taken away, each with a row that finds
// the hole and does no harm to the host when it gets through. The long suite
// tries them all, make test two of them: of the kernel's, and of ours.
var holes = []struct {
	without, row string
	long         bool
}{
	{"seccomp", "F11", false},
	{"pid-namespace", "R65", true},
	{"net-namespace", "N43", true},
	{"user-id", "R71", true},
	{"memory-cgroup", "R54", true},
	{"pids-cgroup", "R53", true},
	{"read-only-root", "F1", true},
	{"output-limits", "O107", true},
	{"fd-closing", "N45", false},
	{"reseeding", "D93", true},
}

// buildBinary builds the program, with a tag or as it is shipped.
func buildBinary(t *testing.T, tags string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "cellwall")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-tags", tags, "-o", binary, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build with tags %q: %v\n%s", tags, err, out)
	}
	return binary
}

func TestM36_ABuildThatCanBeWeakened(t *testing.T) {
	weakened := buildBinary(t, "cellwall_weaken")
	t.Run("WhatIsShippedKnowsNoSwitch", func(t *testing.T) { knowsNoSwitch(t, weakened) })
	t.Run("TakesWhatItSaysAndSaysIt", passesItsOwnTests)
	t.Run("PentestFindsTheHoleBehindEachProtection", func(t *testing.T) { findsHoles(t, weakened) })
}

func knowsNoSwitch(t *testing.T, weakened string) {
	for binary, want := range map[string]bool{buildBinary(t, ""): false, weakened: true} {
		content, err := os.ReadFile(binary)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{weakVariable, "weaken driver", "pid-namespace", "allowEverything"} {
			if got := bytes.Contains(content, []byte(name)); got && !want {
				t.Errorf("the binary as shipped holds %q", name)
			}
		}
		if got := bytes.Contains(content, []byte(weakVariable)); got != want {
			t.Errorf("%s: the switch is there: %v, want %v", binary, got, want)
		}
	}
}

// passesItsOwnTests runs the tests of what only the tagged build has.
func passesItsOwnTests(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "test", "-tags", "cellwall_weaken", "-v", "-run", "^TestWeaken_", "../../backend/native")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"EveryPatchTakesWholeLinesOfTheDriver", "WhatIsTakenAwayIsSaid", "WithoutTheGateACheckpointIsReached", "WithoutTheFilterTheAttacksOnCheckpointsWork"} {
		if !bytes.Contains(out, []byte("--- PASS: TestWeaken_"+name)) {
			t.Errorf("%s did not pass:\n%s", name, out)
		}
	}
}

// findsHoles demands that a pentest says so, whichever protection is missing.
func findsHoles(t *testing.T, binary string) {
	testkit.RequireRoot(t)
	t.Setenv("CELLWALL_STATE_DIR", ownEnvironments(t))
	// What other tests of ours leave in /tmp meanwhile bears our name too.
	t.Setenv("TMPDIR", passable(t))
	var rows []string
	for _, h := range holes {
		if h.long && !testkit.Long() {
			t.Logf("left to the long suite: %s", h.without)
			continue
		}
		rows = append(rows, "--rows="+h.row)
		t.Run(h.without, func(t *testing.T) {
			report, status := pentestOf(t, binary, h.without, "--rows="+h.row)
			if status != exitNotOK || len(report.Rows) != 1 || report.Rows[0].Verdict != pentest.GotThrough {
				t.Errorf("exit status %d, rows %+v: the hole was not found", status, report.Rows)
			}
			if report.Risk < pentest.Gate || report.Score.Percent != 0 {
				t.Errorf("risk %v, score %v %%", report.Risk, report.Score.Percent)
			}
		})
	}
	t.Run("nothing taken away", func(t *testing.T) {
		report, status := pentestOf(t, binary, "", rows...)
		if status != exitOK || report.Score.Percent != 100 || len(report.Rows) != len(rows) || report.Isolation != nil {
			t.Errorf("exit status %d, %+v", status, report.Rows)
		}
	})
}

// ownEnvironments is a state directory with the environments that are built.
func ownEnvironments(t *testing.T) string {
	t.Helper()
	state := passable(t)
	linkEnvironments(t, state)
	return state
}

// passable is a directory through which sandboxes of other users can pass.
func passable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cellwall-holes-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// pentestOf runs a pentest with a protection taken away.
func pentestOf(t *testing.T, binary, without string, args ...string) (pentestReport, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"pentest", "--json", "--no-isolation"}, args...)...)
	cmd.Env = append(os.Environ(), weakVariable+"="+without)
	out, err := cmd.Output()
	var exit *exec.ExitError
	status := 0
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	var report pentestReport
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("exit status %d, no report: %v: %s", status, err, out)
	}
	return report, status
}

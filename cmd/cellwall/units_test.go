package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// systemd takes the units without a word, and finds the service no more exposed than
// it has to be: what makes walls needs capabilities, and /proc as it is.
func TestDeploy_SystemdTakesTheUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skipf("skip, proof: %v", err)
	}
	program, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	units, err := filepath.Glob("../../deploy/cellwall*.*")
	if err != nil || len(units) < 5 {
		t.Fatalf("%v %v", units, err)
	}
	dir := t.TempDir()
	var here []string
	for _, unit := range units { // nothing is installed where these tests run
		text := strings.ReplaceAll(readText(t, unit), "/usr/local/bin/cellwall", program)
		path := filepath.Join(dir, filepath.Base(unit))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		here = append(here, path)
	}
	if said, err := exec.Command(analyze, append([]string{"verify", "--man=no"}, here...)...).CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("%v: %s", err, said)
	}
	said, err := exec.Command(analyze, "security", "--offline=yes", "--no-pager", "--threshold=75", filepath.Join(dir, "cellwall.service")).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	t.Logf("figures: %s", lines[len(lines)-1])
	if err != nil {
		t.Errorf("%v: %s", err, said)
	}
}

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/cellwall/cellwall"
)

func parser(t *testing.T) *kong.Kong {
	t.Helper()
	p := &program{stdout: newScreen(os.Stdout), stderr: newScreen(os.Stderr)}
	k, err := p.parser(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestGrammar_every_flag_has_help_and_an_environment_variable(t *testing.T) {
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			want := "CELLWALL_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			if f.Name != "help" && (len(f.Envs) != 1 || f.Envs[0] != want || f.Help == "") {
				t.Errorf("%s --%s: variable %v, want %s; help %q", n.Path(), f.Name, f.Envs, want, f.Help)
			}
		}
		if n.Help == "" {
			t.Errorf("%s has no help", n.Path())
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(parser(t).Model.Node)
}

func TestGrammar_takes_names_as_they_are_typed(t *testing.T) {
	var g grammar
	k, err := (&program{stdout: newScreen(os.Stdout), stderr: newScreen(os.Stderr)}).parser(&g)
	if err != nil {
		t.Fatal(err)
	}
	const typed = "p\xff,é\u202e.csv"
	if _, err := k.Parse([]string{"run", "--data", typed, "--data=" + typed, "--out", typed, typed}); err != nil {
		t.Fatal(err)
	}
	for _, got := range append(g.Run.Data, g.Run.Out, g.Run.File) {
		if got != typed {
			t.Errorf("%q became %q", typed, got)
		}
	}
	t.Setenv("CELLWALL_OUT", typed)
	if _, err := k.Parse([]string{"run", "-c", typed}); err != nil || g.Run.Code != typed || g.Run.Out != typed {
		t.Errorf("%q became %q and %q, %v", typed, g.Run.Code, g.Run.Out, err)
	}
}

func TestHidden_verbs_are_no_public_ones(t *testing.T) {
	for name := range hidden() {
		for _, c := range parser(t).Model.Children {
			if c.Name == name {
				t.Errorf("%s is hidden and public", name)
			}
		}
	}
}

func TestExitOf(t *testing.T) {
	for code, want := range map[cellwall.ErrorCode]int{
		cellwall.CodeBadRequest: 2, cellwall.CodeNotFound: 2, cellwall.CodeTooLarge: 2, cellwall.CodeDatasetUnreadable: 1,
		cellwall.CodeForbidden: 3, cellwall.CodeRateLimited: 3, cellwall.CodeBusy: 3, cellwall.CodeLockedDown: 3,
		cellwall.CodeProtectionMissing: 4, cellwall.CodeEnvironmentMissing: 4, cellwall.CodeInternal: 4, cellwall.CodeDraining: 4,
	} {
		if got := exitOf(fmt.Errorf("wrapped: %w", &cellwall.Error{Code: code})); got != want {
			t.Errorf("exitOf(%s) = %d, want %d", code, got, want)
		}
	}
	if got := exitOf(errors.New("anything")); got != 4 {
		t.Errorf("exitOf(an error without code) = %d, want 4", got)
	}
}

func TestExitOfResult(t *testing.T) {
	for _, c := range []struct {
		status      cellwall.Status
		interrupted bool
		want        int
	}{
		{cellwall.StatusOK, false, 0},
		{cellwall.StatusOK, true, 130},
		{cellwall.StatusCancelled, true, 130},
		{cellwall.StatusCancelled, false, 1},
		{cellwall.StatusTimeout, false, 1},
		{cellwall.StatusCrashed, false, 1},
		{cellwall.StatusRefused, false, 3},
		{cellwall.StatusInternalError, false, 4},
	} {
		r := &cellwall.Result{Status: c.status, OK: c.status == cellwall.StatusOK}
		if got := exitOfResult(r, c.interrupted); got != c.want {
			t.Errorf("%s, interrupted %v: %d, want %d", c.status, c.interrupted, got, c.want)
		}
	}
}

// The units in deploy start verbs and flags that exist.
func TestDeploy_units_start_what_exists(t *testing.T) {
	units, err := filepath.Glob("../../deploy/*.service")
	if err != nil || len(units) == 0 {
		t.Fatalf("units: %v, %v", units, err)
	}
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		started := 0
		for line := range strings.Lines(string(text)) {
			command, ok := strings.CutPrefix(strings.TrimSpace(line), "ExecStart=")
			if ok {
				started++
			} else if command, ok = strings.CutPrefix(strings.TrimSpace(line), "ExecStartPost=/usr"); !ok {
				continue
			}
			if _, err := parser(t).Parse(strings.Fields(command)[1:]); err != nil {
				t.Errorf("%s: %s: %v", unit, command, err)
			}
		}
		timer, err := os.ReadFile(strings.TrimSuffix(unit, ".service") + ".timer")
		when := map[string]string{"cellwall-pentest.service": "monthly", "cellwall-update.service": "weekly"}[filepath.Base(unit)]
		if started != 1 || when != "" && (err != nil || !strings.Contains(string(timer), "\nOnCalendar="+when+"\n")) {
			t.Errorf("%s starts %d commands; its timer: %v\n%s", unit, started, err, timer)
		}
	}
}

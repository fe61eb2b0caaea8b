package backendtest

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
)

// runAbuse runs the hostile corpus.
func runAbuse(t *testing.T, s Setup) {
	host := hostWorld(t)
	var cells *outerCells
	if !s.WithoutControls {
		t.Run("outer cell", func(sub *testing.T) { cells = newOuterCells(sub, t, s.Environment, host) })
	}
	want := reference(t, s)
	before := atRest()
	for _, c := range abuse.All() {
		t.Run(c.ID, func(t *testing.T) {
			if missing := lacks(s, c); missing != "" {
				t.Run("refused", func(t *testing.T) { refusedWithout(t, s, c.Attack.Limits, missing) })
				return
			}
			t.Run("attack", func(t *testing.T) { attack(t, s, c, host, want, before) })
			t.Run("sibling", func(t *testing.T) { sibling(t, s, c, host) })
			if cells != nil {
				t.Run("control", func(t *testing.T) { cells.control(t, c) })
			}
		})
	}
	if cells != nil {
		cells.count(t)
	}
}

// lacks returns the first protection that the case needs and this run goes
// without.
func lacks(s Setup, c abuse.Case) string {
	for _, name := range c.Needs {
		if slices.Contains(s.Missing, name) {
			return name
		}
	}
	return ""
}

// attack lets the program loose as often as its case says, a neighbour beside
// it, and demands its end and every invariant.
func attack(t *testing.T, s Setup, c abuse.Case, host *world, want string, before traces) {
	checkMemory := watchMemory(t)
	var runs []abuse.Outcome
	for n := range max(c.Runs, 1) {
		o := besideNeighbour(t, s, c, host, want, n)
		for _, p := range abuse.Judge(c.Attack, o) {
			t.Errorf("run %d: %s", n, p)
		}
		runs = append(runs, o)
	}
	if c.Across != nil {
		for _, p := range c.Across(runs) {
			t.Error(p)
		}
	}
	checkMemory()
	honest(t, s, "next run", want)
	for _, left := range before.settle() {
		t.Errorf("left behind: %s", left)
	}
}

// besideNeighbour runs the attack once while an honest neighbour runs.
func besideNeighbour(t *testing.T, s Setup, c abuse.Case, host *world, want string, n int) abuse.Outcome {
	t.Helper()
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { honest(t, s, "neighbour", want) })
	return outcome(t, s, c.Attack, host, n)
}

func sibling(t *testing.T, s Setup, c abuse.Case, host *world) {
	if c.Sibling.File == "" {
		t.Fatal("the case has no sibling")
	}
	for _, p := range abuse.Judge(c.Sibling, outcome(t, s, c.Sibling, host, 0)) {
		t.Error(p)
	}
}

// outcome executes a program of the corpus and gathers what came of it.
func outcome(t *testing.T, s Setup, p abuse.Program, host *world, run int) abuse.Outcome {
	t.Helper()
	w := host.World
	w.Run = run
	limits := p.Limits.WithDefaults()
	w.Timeout, w.Memory, w.Processes = int(limits.Timeout.Milliseconds()), limits.MemoryBytes, limits.Processes
	source, err := p.Source(w)
	if err != nil {
		t.Fatal(err)
	}
	r := execute(t, s, cellwall.Request{Code: source, Limits: p.Limits}, p.Inputs)
	return abuse.Outcome{Result: r, Files: contents(t, s, r), World: w, Facts: host.facts()}
}

// refusedWithout demands that a run without the protection is refused, and that
// it is named when the caller accepts to go without.
func refusedWithout(t *testing.T, s Setup, limits cellwall.Limits, missing string) {
	r := request(s, cellwall.Request{Code: "print('ran')", Limits: limits})
	r.AllowDegraded = false
	_, err := s.Execute(t.Context(), r)
	if cellwall.CodeOf(err) != cellwall.CodeProtectionMissing || err == nil {
		t.Fatalf("without %s: %v, want %s", missing, err, cellwall.CodeProtectionMissing)
	}
	if cellwall.HintOf(err) == "" {
		t.Errorf("the refusal has no hint: %v", err)
	}
	r.AllowDegraded = true
	result, err := s.Execute(context.WithoutCancel(t.Context()), r)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(result.Boundary.Degraded, missing) {
		t.Errorf("degraded is %q and does not name %s", result.Boundary.Degraded, missing)
	}
}

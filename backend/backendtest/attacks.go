package backendtest

import (
	"context"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/pentest"
)

// runAbuse runs the hostile corpus, or its starred rows.
func runAbuse(t *testing.T, s Setup) {
	host := hostCanary(t)
	var cells *outerCells
	if !s.WithoutControls {
		t.Run("outer cell", func(sub *testing.T) { cells = newOuterCells(sub, t, s.Environment, host) })
	}
	ground, err := pentest.NewGround(t.Context(), s.target(), host)
	if err != nil {
		t.Fatal(err)
	}
	cases := abuse.All()
	if s.Brief {
		cases = abuse.Starred()
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			if missing := ground.Target.Lacks(c); missing != "" {
				t.Run("refused", func(t *testing.T) { refusedWithout(t, s, c.Attack.Limits, missing) })
				return
			}
			t.Run("attack", func(t *testing.T) { demand(t, c, ground.Attack) })
			t.Run("sibling", func(t *testing.T) {
				demand(t, c, ground.Sibling)
			})
			if cells != nil {
				t.Run("control", func(t *testing.T) { cells.control(t, c) })
			}
		})
	}
	for _, row := range abuse.NotPromised() {
		t.Logf("%s (%s) is not promised: %s", row.ID, row.Title, row.Why)
	}
	if cells != nil {
		cells.count(t)
	}
}

// demand runs one program of a case and fails for each demand that it missed.
func demand(t *testing.T, c abuse.Case, run func(context.Context, abuse.Case) (pentest.Trial, error)) {
	t.Helper()
	trial, err := run(t.Context(), c)
	for _, p := range trial.Problems() {
		t.Error(p)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// refusedWithout demands that a run without the protection is refused, and that
// it is named when the caller accepts to go without.
func refusedWithout(t *testing.T, s Setup, limits cellwall.Limits, missing string) {
	r := s.target().Request(cellwall.Request{Code: "print('ran')", Limits: limits})
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

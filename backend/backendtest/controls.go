package backendtest

import (
	"os"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/pentest"
)

// Controls shows every attack at work in outer cells. It needs an environment
// and no backend.
func Controls(t *testing.T, env cellwall.Environment) {
	t.Helper()
	host := hostCanary(t)
	cells := newOuterCells(t, t, env, host)
	for _, c := range abuse.All() {
		t.Run(c.ID, func(t *testing.T) { cells.control(t, c) })
	}
	cells.count(t)
	checkCanary(t, host)
}

// control shows one attack, or proves that this host cannot.
func (o *outerCells) control(t *testing.T, c abuse.Case) {
	t.Helper()
	if note, lacking := abuse.Lacking(c); lacking {
		t.Log(note)
		o.unshown = append(o.unshown, c.ID)
		return
	}
	x, err := o.run(t, c)
	if err != nil {
		t.Fatal(err)
	}
	bad, notes := abuse.JudgeControl(c, x)
	for _, n := range notes {
		t.Log(n)
	}
	for _, p := range bad {
		t.Error(p)
	}
	if !abuse.Showed(c, x) {
		o.unshown = append(o.unshown, c.ID)
	}
}

// count tells how many rows were not shown at work, and fails when they are too
// many.
func (o *outerCells) count(t *testing.T) {
	t.Helper()
	t.Logf("%d rows were not shown at work: %v", len(o.unshown), o.unshown)
	if len(o.unshown) > abuse.MostUnshown {
		t.Errorf("at most %d may be", abuse.MostUnshown)
	}
}

// hostCanary puts the canary up on the host until the test ends.
func hostCanary(t *testing.T) *pentest.Canary {
	t.Helper()
	c, err := pentest.HostCanary(itself(), os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("take the canary down: %v", err)
		}
	})
	return c
}

// checkCanary fails when anything touched or reached the host's canary.
func checkCanary(t *testing.T, host *pentest.Canary) {
	t.Helper()
	f := host.Facts()
	if f.CanaryChanged {
		t.Error("the host's canary is not as it was")
	}
	for _, c := range f.Contacts {
		t.Errorf("the host's canary was reached: %s", c)
	}
}

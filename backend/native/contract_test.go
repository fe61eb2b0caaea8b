package native_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/internal/testkit"
)

// ready is how many sandboxes the contract keeps ahead of need.
const ready = 4

// TestContract is the whole contract with everything that root can enforce. In
// the fast tier TestControls of backendtest alone shows the attacks at work.
func TestContract(t *testing.T) {
	testkit.RequireRoot(t)
	privateTemp(t)
	b := open(t)
	if missing := missing(t, b.Probe(t.Context())); len(missing) > 0 {
		t.Fatalf("root on this host cannot enforce %v", missing)
	}
	s := backendtest.Rooms(t, b, basic(t), ready)
	s.Cases, s.WithoutControls = cases(t), !testkit.Long()
	backendtest.Run(t, s)
}

// privateTemp keeps the temporary files of tests that run beside this one out
// of its sight: it looks for what a run has left there.
func privateTemp(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	openPath(t, dir)
	t.Setenv("TMPDIR", dir)
}

func cases(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// missing names what a report does not call enforced.
func missing(t *testing.T, r cellwall.Report) []string {
	t.Helper()
	var names []string
	for _, p := range r.Protections {
		if p.State != cellwall.Enforced {
			t.Logf("%s is %s: %s", p.Name, p.State, p.Detail)
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}

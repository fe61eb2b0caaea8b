package apitest

import (
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
)

// What runs says which environment it ran in: one that is listed, with its digest.
func environmentsAreListedWithWhatIsInstalled(t *testing.T, s *Service) {
	type environment struct {
		Name, Digest string
		Bytes        int64
		Packages     []cellwall.Package
	}
	l := Into[List[environment]](t, s.Call(t, "GET", "/v1/environments", s.Agent, ""), 200)
	at := slices.IndexFunc(l.Items, func(e environment) bool { return e.Name == "python-data-basic" })
	if at < 0 || l.Items[at].Bytes == 0 {
		t.Fatalf("%+v", l.Items)
	}
	r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Agent, `{"code":"import pandas; print(pandas.__version__)"}`), 200)
	if want := "python-data-basic@" + l.Items[at].Digest; r.Boundary.Environment != want {
		t.Errorf("it ran in %s, want %s", r.Boundary.Environment, want)
	}
	if !slices.ContainsFunc(l.Items[at].Packages, func(p cellwall.Package) bool { return p.Name == "pandas" && p.Version+"\n" == r.Stdout.Text }) {
		t.Errorf("pandas is %q, the list has %v", r.Stdout.Text, l.Items[at].Packages)
	}
	onlyForItsTenant(t, s, cellwall.NewID(cellwall.PrefixExecution), asking{"GET", "/v1/environments", ""})
}

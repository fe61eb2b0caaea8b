package api_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

// shaky are rooms that panic.
type (
	shakyBackground struct{ api.Background }
	shakyExecutions struct{ executions }
	shakyDatasets   struct{ datasets }
	datasets        = api.Datasets // these have a method of their own name
	executions      = api.Executions
)

func (shakyBackground) Accept(context.Context, cellwall.KeptExecution) error {
	panic("a fault of ours")
}

func (shakyExecutions) Execution(context.Context, string, string) (k cellwall.KeptExecution, err error) {
	panic("a fault of ours")
}

// A call that panicked holds nothing: not its place, not the memory of its body, not
// the room of its answer, not a place for work left behind.
func TestM42_APanicGivesBackWhatItsCallHeld(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) {
		o.Background, o.Executions = shakyBackground{o.Background}, shakyExecutions{o.Executions}
		o.Calls, o.Held, o.Outgoing = 2, 8*cellwall.MiB, 8*cellwall.MiB
	})
	s.Keys.Change(s.Tenant, func(terms *cellwall.Terms) { terms.Background = 2 })
	large := s.KeepResult(t, s.Tenant, 400<<10) // three would be more than an eighth
	code := `{"code":"` + strings.Repeat("1;", 40_000) + `"}`
	for i := range 20 {
		for name, a := range map[string]apitest.Answer{
			"work left behind": s.Call(t, "POST", "/v1/executions", s.Key, code, "Prefer", "respond-async"),
			"an answer":        s.Call(t, "GET", large, s.Key, ""),
		} {
			if a.Status != http.StatusInternalServerError {
				t.Fatalf("%s, %d: %d %s", name, i, a.Status, a.Body)
			}
		}
	}
}

func (shakyDatasets) Hold(_ context.Context, _ cellwall.Identity, _, _ string, r io.Reader, _ int64) (d cellwall.KeptDataset, err error) {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return d, err
	}
	panic("a fault of ours")
}

func TestM42_APanicGivesBackWhatItsFileHeld(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.Datasets = shakyDatasets{o.Datasets} })
	s.Keys.Change(s.Tenant, func(terms *cellwall.Terms) { terms.Ceiling.InputBytes = cellwall.MiB }) // on their way: 3 MiB
	file := strings.Repeat("1\n", 400<<10)
	for i := range 6 {
		if a := s.Call(t, "POST", "/v1/datasets", s.Key, file, "Content-Type", "application/octet-stream"); a.Status != http.StatusInternalServerError {
			t.Fatalf("%d: %d %s", i, a.Status, a.Body)
		}
	}
}

package native_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// BenchmarkCall is what a call out of the sandbox costs the code that waits for it, there
// and back, by the clock inside.
func BenchmarkCall(b *testing.B) {
	testkit.RequireRoot(b)
	backend := open(b)
	sandbox, err := backend.Open(b.Context(), cellwall.Spec{
		Identity: cellwall.Identity{Tenant: "bench"}, Environment: basic(b), Limits: cellwall.DefaultLimits(),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer sandbox.Close()
	if err := sandbox.Bind(b.Context(), cellwall.Claim{Limits: cellwall.DefaultLimits()}); err != nil {
		b.Fatal(err)
	}
	calls := min(b.N, 5000)
	var said strings.Builder
	end, err := sandbox.Run(b.Context(), cellwall.Code{
		Execution: cellwall.NewID(cellwall.PrefixExecution), Timeout: cellwall.DefaultLimits().Timeout,
		Source: fmt.Sprintf(`import time
took = []
for n in range(%d):
    began = time.perf_counter()
    tools.echo(n=n)
    took.append(time.perf_counter() - began)
print(sorted(took)[len(took) // 2] * 1e6)`, calls),
		Functions: []cellwall.Function{{Name: "echo", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Caller:    func(_ context.Context, c cellwall.Call) cellwall.Reply { return cellwall.Reply{Result: c.Arguments} },
	}, func(_ context.Context, e cellwall.Event) error {
		if e.Kind == cellwall.EventStdout {
			said.Write(e.Data)
		}
		return nil
	})
	micro, wrong := strconv.ParseFloat(strings.TrimSpace(said.String()), 64)
	if err != nil || end.Status != cellwall.StatusOK || wrong != nil {
		b.Fatalf("%+v, %v, said %q", end, err, said.String())
	}
	b.ReportMetric(micro, "µs/call")
}

package backendtest

import (
	"context"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/pentest"
)

// target is the setup as programs are let loose on it.
func (s Setup) target() pentest.Target {
	return pentest.Target{
		Execute: s.Execute, Stream: s.Stream, Artifact: s.Artifact, Environment: s.Environment.Name, Tenant: "contract",
		Missing: s.Missing, Scale: testkit.Scale,
	}
}

// execute runs a request with inputs and demands a result.
func execute(t *testing.T, s Setup, r cellwall.Request, inputs []abuse.File) *cellwall.Result {
	t.Helper()
	result, err := tryExecute(t.Context(), s, r, inputs)
	if err != nil {
		t.Fatalf("execute: %v", err)
	}
	return result
}

func tryExecute(ctx context.Context, s Setup, r cellwall.Request, inputs []abuse.File) (*cellwall.Result, error) {
	return s.target().Run(ctx, r, inputs)
}

// contents reads the artifacts of a result, at most 1 MiB of each.
func contents(t *testing.T, s Setup, r *cellwall.Result) map[string][]byte {
	t.Helper()
	all, err := s.target().Contents(r)
	if err != nil {
		t.Error(err)
	}
	return all
}

// reference is what the honest program prints beside which nothing happens.
func reference(t *testing.T, s Setup) string {
	t.Helper()
	text, err := s.target().Reference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

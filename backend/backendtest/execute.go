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

// reference is what the honest program prints beside which nothing happens.
func reference(t *testing.T, s Setup) string {
	t.Helper()
	text, err := s.target().Reference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

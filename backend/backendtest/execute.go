package backendtest

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
)

// patience is a guard against an execution that never returns, before Scale.
const patience = 90 * time.Second

// request fills in what every request of the contract has.
func request(s Setup, r cellwall.Request) cellwall.Request {
	r.Identity.Tenant = "contract"
	if r.Environment == "" {
		r.Environment = s.Environment.Name
	}
	if r.Profile == "" {
		r.Profile = "off"
	}
	r.AllowDegraded = len(s.Missing) > 0
	return r
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
	ctx, cancel := context.WithTimeout(ctx, testkit.Scale(patience))
	defer cancel()
	for _, in := range inputs {
		f, err := handOver(in)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r.Datasets = append(r.Datasets, cellwall.Input{Name: in.Name, FD: int(f.Fd()), Size: int64(len(in.Data))})
	}
	result, err := s.Execute(ctx, request(s, r))
	if err == nil && result == nil {
		err = fmt.Errorf("neither a result nor an error")
	}
	return result, err
}

// handOver gives an input as a descriptor of a file that has no name any more.
func handOver(in abuse.File) (*os.File, error) {
	f, err := os.CreateTemp("", "cellwall-input-")
	if err != nil {
		return nil, fmt.Errorf("hand over %s: %w", in.Name, err)
	}
	defer f.Close()
	defer os.Remove(f.Name())
	if _, err := f.Write(in.Data); err != nil {
		return nil, fmt.Errorf("hand over %s: %w", in.Name, err)
	}
	return os.Open(f.Name())
}

// contents reads the artifacts of a result, at most 1 MiB of each.
func contents(t *testing.T, s Setup, r *cellwall.Result) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	for _, a := range r.Artifacts {
		data, err := content(s, a)
		if err != nil {
			t.Errorf("read artifact %q: %v", a.Name, err)
		}
		all[a.Name] = data
	}
	return all
}

func content(s Setup, a cellwall.Artifact) ([]byte, error) {
	f, err := s.Artifact(a)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

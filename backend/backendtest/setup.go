package backendtest

import (
	"context"
	"io"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/pentest"
)

// Execute runs one request end to end, as the controller does.
type Execute func(context.Context, cellwall.Request) (*cellwall.Result, error)

// Cells is a session that takes cells from request to record.
type Cells interface {
	Cell(ctx context.Context, req cellwall.Request, count int, sink cellwall.Sink) (*cellwall.Result, error)
	Interpreter() cellwall.Interpreter
	Rollback(context.Context, cellwall.Return) (cellwall.Restored, error)
	Close()
}

// Setup is what is put to the test.
type Setup struct {
	// Backend opens the sandboxes behind Execute.
	Backend cellwall.Backend
	// Environment holds at least what python-data-basic has.
	Environment cellwall.Environment
	// Execute runs a request on Backend with Environment.
	Execute Execute
	// Stream is Execute that also delivers the events.
	Stream pentest.Stream
	// Session begins a session on Backend, as the controller does; Sessions needs
	// it. Cells is nil when the beginning was its end.
	Session func(context.Context, cellwall.Request) (Cells, *cellwall.Result, error)
	// KillTemplates ends, by SIGKILL, the process that the sandboxes of each
	// template are forked from; Templates needs it.
	KillTemplates func() error
	// Artifact opens the content of an artifact of a result.
	Artifact func(cellwall.Artifact) (io.ReadCloser, error)
	// Missing names protections that this run goes without, as in
	// cellwall.Protection.
	Missing []string
	// State is the directory in which the controller keeps what it may keep
	// (records, artifacts); everywhere else nothing may appear. "" = unknown.
	State string
	// Cases is testdata/cases: user-cases.json, expected.json and their files.
	// Needed unless Brief.
	Cases string
	// Brief leaves out what another run of the same contract shows as well:
	// named, usercases, datasets, and the rows without a star.
	Brief bool
	// WithoutControls leaves the positive controls out: one backend of a set
	// that shares an environment runs them.
	WithoutControls bool
}

// Run runs the contract.
func Run(t *testing.T, s Setup) {
	t.Helper()
	whole := s.Backend != nil && s.Execute != nil && s.Stream != nil && s.Artifact != nil && s.Environment.Root != ""
	if !whole || s.Cases == "" && !s.Brief {
		t.Fatal("backendtest.Run: Backend, Execute, Stream, Artifact, Environment and Cases are needed")
	}
	t.Setenv("all_proxy", "http://user:password@127.0.0.1:9") // a controller's own settings are not a run's
	t.Run("sandbox", func(t *testing.T) { runSandbox(t, s) })
	t.Run("contract", func(t *testing.T) { runContract(t, s) })
	t.Run("abuse", func(t *testing.T) { runAbuse(t, s) })
	if s.Brief {
		return
	}
	t.Run("calls", func(t *testing.T) { runCalls(t, s) })
	t.Run("named", func(t *testing.T) { runNamed(t, s) })
	t.Run("usercases", func(t *testing.T) { runUserCases(t, s) })
	t.Run("datasets", func(t *testing.T) { runDatasets(t, s) })
}

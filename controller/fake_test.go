package controller

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cellwall/cellwall"
)

// script is a sandbox that says what a test wants it to say.
type script struct {
	bound    cellwall.Claim
	code     cellwall.Code
	ran      bool
	closed   bool
	events   []cellwall.Event
	end      cellwall.End
	bindErr  error
	runErr   error
	wait     bool // Run waits until the context ends
	boundary cellwall.Boundary
}

func (s *script) Bind(_ context.Context, c cellwall.Claim) error { s.bound = c; return s.bindErr }
func (s *script) Boundary() cellwall.Boundary                    { return s.boundary }
func (s *script) Close() error                                   { s.closed = true; return nil }
func (s *script) Harvest(context.Context) (fs.FS, error) {
	return fstest.MapFS{"a.png": {Data: []byte("png")}}, nil
}

func (s *script) Run(ctx context.Context, code cellwall.Code, sink cellwall.Sink) (cellwall.End, error) {
	s.ran, s.code = true, code
	for _, e := range s.events {
		if err := sink(ctx, e); err != nil {
			return cellwall.End{}, err
		}
	}
	if s.wait {
		<-ctx.Done()
		return cellwall.End{Status: cellwall.StatusCancelled, Cause: cellwall.CauseCancelled}, nil
	}
	return s.end, s.runErr
}

// house is everything around a controller under test.
type house struct {
	next      *script
	then      *script // after next was handed out, nil = next again
	claimErr  error
	spec      cellwall.Spec
	destroyed int
	envErr    error
	recordErr error
	harvested int
	evidence  cellwall.Evidence

	mu      sync.Mutex
	entries []Entry
}

func (h *house) Claim(_ context.Context, spec cellwall.Spec) (cellwall.Sandbox, error) {
	h.spec = spec
	if h.claimErr != nil {
		return nil, h.claimErr
	}
	sb := h.next
	if h.then != nil {
		h.next = h.then
	}
	return sb, nil
}
func (h *house) Destroy(cellwall.Sandbox) { h.destroyed++ }

func (h *house) Open(name string) (cellwall.Environment, error) {
	return cellwall.Environment{Name: name, Digest: "sha256:00"}, h.envErr
}

func (h *house) Harvest(_ context.Context, f fs.FS, _ cellwall.Limits) ([]cellwall.Artifact, []cellwall.SkippedArtifact, error) {
	h.harvested++
	raw, err := fs.ReadFile(f, "a.png")
	return []cellwall.Artifact{{Name: "a.png", Bytes: int64(len(raw)), SHA256: "ab"}}, nil, err
}

func (h *house) Observe(e cellwall.Evidence) ([]string, cellwall.Observation) {
	h.evidence = e
	return []string{"warned"}, cellwall.Observation{OK: e.Result.OK, Status: e.Result.Status}
}

func (h *house) Append(_ time.Time, entry any) error {
	if h.recordErr != nil {
		return h.recordErr
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, entry.(Entry))
	return nil
}

func (h *house) Merge(raw []byte, facts []cellwall.InputFact) ([]cellwall.Dataset, error) {
	var list []cellwall.Dataset
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	if len(list) != len(facts) {
		return nil, errors.New("not as many as inputs")
	}
	for i := range list {
		list[i].ID, list[i].Bytes, list[i].SHA256 = facts[i].ID, facts[i].Bytes, facts[i].SHA256
	}
	return list, nil
}

func (h *house) controller(t testing.TB) *Controller {
	t.Helper()
	c, err := New(Options{
		Pools: map[string]Sandboxes{"native": h}, Backend: "native",
		Environments: h, Environment: "basic",
		MergeDatasets: h.Merge, Harvester: h, Observe: h.Observe, Recorder: h, Logs: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// openFile returns a descriptor of a file that holds content.
func openFile(t testing.TB, content string) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return int(f.Fd())
}

func ok() *script {
	return &script{end: cellwall.End{Status: cellwall.StatusOK}, boundary: cellwall.Boundary{Backend: "native", Network: "none"}}
}

func out(text string) cellwall.Event {
	return cellwall.Event{Kind: cellwall.EventStdout, Data: []byte(text)}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

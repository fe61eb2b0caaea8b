package backendtest

import (
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/artifact"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/dataset"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/observe"
	"github.com/cellwall/cellwall/pool"
	"github.com/cellwall/cellwall/prepared"
)

// Rooms wires the rooms that one execution passes through over a backend, as
// the binary does, and returns the Setup for Run. ready sandboxes are kept
// ahead. Everything is closed when the test ends; the backend is the caller's.
// No record is kept: records are another room's promise.
func Rooms(t *testing.T, backend cellwall.Backend, env cellwall.Environment, ready int) Setup {
	t.Helper()
	return RoomsFor(t, backend, env, ready, 0)
}

// RoomsFor is Rooms with room for a number of runs at once; 0 = as the binary.
func RoomsFor(t *testing.T, backend cellwall.Backend, env cellwall.Environment, ready, most int) Setup {
	t.Helper()
	kept := pool.SetOptions{Most: most, Pool: pool.Options{Target: ready}}
	return wire(t, backend, env, kept, t.TempDir(), noRecorder{})
}

// RoomsIn is Rooms with a state directory, where artifacts and records stay,
// below the names that the binary gives them.
func RoomsIn(t *testing.T, backend cellwall.Backend, env cellwall.Environment, ready int, state string) Setup {
	t.Helper()
	records, err := audit.Open(filepath.Join(state, "records"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := records.Close(); err != nil {
			t.Errorf("close the records: %v", err)
		}
	})
	kept := pool.SetOptions{Pool: pool.Options{Target: ready}}
	return wire(t, backend, env, kept, filepath.Join(state, "artifacts"), records)
}

// RoomsPrepared is Rooms with datasets that are parsed ahead as o says; its
// Backend is the one of these rooms.
func RoomsPrepared(t *testing.T, backend cellwall.Backend, env cellwall.Environment, o prepared.Options) (Setup, *prepared.Set) {
	t.Helper()
	o.Backend = backend.(cellwall.Templater)
	set := prepared.New(o)
	t.Cleanup(func() {
		if err := set.Close(); err != nil {
			t.Errorf("close the prepared datasets: %v", err)
		}
	})
	return wireWith(t, backend, env, pool.SetOptions{}, t.TempDir(), noRecorder{}, set), set
}

// recorder is what a controller wants of one.
type recorder interface {
	Append(at time.Time, entry any) error
}

func wire(
	t *testing.T, backend cellwall.Backend, env cellwall.Environment, kept pool.SetOptions, artifacts string, records recorder,
) Setup {
	t.Helper()
	return wireWith(t, backend, env, kept, artifacts, records, nil)
}

func wireWith(
	t *testing.T, backend cellwall.Backend, env cellwall.Environment, kept pool.SetOptions, artifacts string, records recorder,
	ahead *prepared.Set,
) Setup {
	t.Helper()
	store, err := artifact.OpenStore(artifacts)
	if err != nil {
		t.Fatal(err)
	}
	name := backend.Probe(t.Context()).Backend
	kept.Backend = backend
	set := pool.NewSet(kept)
	t.Cleanup(func() {
		if err := set.Close(); err != nil {
			t.Errorf("close the pools: %v", err)
		}
		if err := store.Close(); err != nil {
			t.Errorf("close the artifacts: %v", err)
		}
	})
	known := map[string]controller.Prepared{}
	if ahead != nil {
		known[name] = ahead
	}
	c, err := controller.New(controller.Options{
		Prepared: known,
		Pools:    map[string]controller.Sandboxes{name: set}, Backend: name,
		Environments: oneEnvironment{env}, Environment: env.Name,
		MergeDatasets: dataset.Merge, Harvester: store, Observe: observe.Tell, Recorder: records,
		Follow:       func() controller.Follower { return store.Follow() },
		SinkPatience: testkit.Scale(time.Minute), // longer than any run, so that a caller who stalls meets its deadline
		Check:        strictly(backend),
	})
	if err != nil {
		t.Fatal(err)
	}
	return Setup{
		Backend: backend, Environment: env, Execute: c.Run, Stream: c.Stream,
		Artifact: func(a cellwall.Artifact) (io.ReadCloser, error) { return store.Open(a) },
		Session: func(ctx context.Context, req cellwall.Request) (Cells, *cellwall.Result, error) {
			opened, result, err := c.Open(ctx, req, controller.Session{ID: cellwall.NewID(cellwall.PrefixSession)})
			if opened == nil { // a nil pointer in the interface would be a session
				return nil, result, err
			}
			return opened, result, err
		},
	}
}

// oneEnvironment is the environment under every name.
type oneEnvironment struct{ env cellwall.Environment }

func (e oneEnvironment) Open(string) (cellwall.Environment, error) { return e.env, nil }

// noRecorder keeps nothing.
type noRecorder struct{}

func (noRecorder) Append(time.Time, any) error { return nil }

package apitest

import (
	"errors"
	"os"
	"sync"

	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/environment"
	"github.com/cellwall/cellwall/pool"
)

// wall is the backend with its pools, the same for all tests of a process: it
// takes a second to open, and keeps nothing of one execution for the next.
type wall struct {
	dir     string
	backend *native.Backend
	set     *pool.Set
}

// ready is how many sandboxes are kept ahead.
const ready = 2

var opened struct {
	sync.Mutex
	wall *wall
}

func openWall() (*wall, error) {
	opened.Lock()
	defer opened.Unlock()
	if opened.wall != nil {
		return opened.wall, nil
	}
	dir, err := os.MkdirTemp("", "cellwall-apitest-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // a sandbox's user passes through
		return nil, err
	}
	backend, err := native.New(native.Options{
		StateDir: dir, Self: []string{"/proc/self/exe", wardenVerb}, Probe: []string{"/proc/self/exe", probeVerb},
		Compile: environment.CompileDir,
	})
	if err != nil {
		return nil, err
	}
	set := pool.NewSet(pool.SetOptions{Backend: backend, Pool: pool.Options{Target: ready}})
	opened.wall = &wall{dir, backend, set}
	return opened.wall, nil
}

func closeWall() error {
	opened.Lock()
	defer opened.Unlock()
	if opened.wall == nil {
		return nil
	}
	w := opened.wall
	return errors.Join(w.set.Close(), w.backend.Close(), os.RemoveAll(w.dir))
}

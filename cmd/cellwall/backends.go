package main

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/environment"
)

// backendOptions are what every backend is made with.
type backendOptions struct {
	StateDir string
	Logger   *slog.Logger
}

// makeBackend makes one backend.
type makeBackend func(backendOptions) (cellwall.Backend, error)

// backends returns every backend of this binary, by the name that --backend
// takes.
func backends() map[string]makeBackend {
	return map[string]makeBackend{
		"native": func(o backendOptions) (cellwall.Backend, error) {
			b, err := native.New(native.Options{
				StateDir: o.StateDir, Logger: o.Logger,
				Self: self(verbNativeWarden), Probe: self(verbProbeChild),
				Compile: environment.CompileDir,
			})
			if err != nil {
				return nil, err // b is a nil pointer, which must not become a backend
			}
			return b, nil
		},
	}
}

// openBackend makes the backend of a name.
func (p *program) openBackend(name string, c *config, log *slog.Logger) (cellwall.Backend, error) {
	open := p.backends[name]
	if open == nil {
		known := strings.Join(slices.Sorted(maps.Keys(p.backends)), ", ")
		return nil, usage("choose backend", fmt.Errorf("%q is not one", name), "known backends: "+known)
	}
	b, err := open(backendOptions{StateDir: c.StateDir, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("start backend %s: %w", name, err)
	}
	return b, nil
}

// logger writes warnings for the operator to stderr.
func (p *program) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

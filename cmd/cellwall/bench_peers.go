package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/cellwall/cellwall/environment"
)

// peerRuns is how often each other way is timed.
const peerRuns = 7

// zygote compares the start of a zygote with the environment's own interpreter
// that imports the same modules from the same bytecode without a wall.
func (b *bench) zygote(ctx context.Context) error {
	var product, plain []time.Duration
	for range 5 {
		if err := b.filled(ctx); err != nil { // nothing else runs meanwhile
			return err
		}
		twin, err := b.native.Limit(ctx, b.env)
		if err != nil {
			return err
		}
		twin.Close()
		product = append(product, twin.Ready)
		argv, env := environment.HostPython(b.env)
		code := fmt.Sprintf(importAll, twin.Driver, strings.Join(twin.Modules, " "))
		took, err := timed(ctx, append(argv, "-c", code), append(env, "MPLCONFIGDIR="+b.env.Root+environment.MatplotlibDir))
		if err != nil {
			return fmt.Errorf("import without a wall: %w", err)
		}
		plain = append(plain, took)
	}
	b.figures.zygote(product, plain)
	return nil
}

// importAll imports a zygote's modules in their order and leaves at once. Names
// that are no modules of their own (aliases that a package puts in place) are
// there when their package is.
const importAll = `
import importlib, os, sys
sys.path.insert(0, %q)
for name in %q.split():
    if name not in sys.modules:
        try:
            importlib.import_module(name)
        except ImportError:
            pass
os._exit(0 if "pandas" in sys.modules and "_cellwall.shell" in sys.modules else 1)
`

// peers measures what a user would pick instead, where it is there.
func (b *bench) peers(ctx context.Context) error {
	code := preamble + programGroupby
	argv, env := environment.HostPython(b.env)
	if err := b.peer(ctx, "plain", append(argv, "-c", code), env); err != nil {
		return err
	}
	if bwrap, err := exec.LookPath("bwrap"); err == nil {
		inside := []string{
			bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", b.env.Root, "/", "--proc", "/proc", "--dev", "/dev",
			"--tmpfs", "/tmp", b.env.Interpreter, "-c", code,
		}
		if err := b.peer(ctx, "bubblewrap", inside, []string{"OPENBLAS_NUM_THREADS=1"}); err != nil {
			return err
		}
	}
	if b.verb.Docker == "" {
		return nil
	}
	return b.peer(ctx, "docker", []string{
		"docker", "run", "--rm", "--network", "none", "--read-only", "--tmpfs", "/tmp", "--memory", "512m", "--pids-limit", "64",
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--env", "OPENBLAS_NUM_THREADS=1",
		b.verb.Docker, b.env.Interpreter, "-c", code,
	}, os.Environ())
}

// peer times another way to run. One that does not work here – a host that
// forbids it, an engine that is not there – costs its figure and no other.
func (b *bench) peer(ctx context.Context, name string, argv, env []string) error {
	var limit, times []time.Duration
	for range peerRuns {
		each, _, err := b.limit.Measure(programGroupby, perRound, 1)
		if err != nil {
			return err
		}
		limit = append(limit, each...)
		took, err := timed(ctx, argv, env)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			b.figures.unmeasured(name, err)
			return nil
		}
		times = append(times, took)
	}
	b.figures.latency(name, limit, times)
	return nil
}

// timed runs a command to its end.
func timed(ctx context.Context, argv, env []string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = env
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		return took, errors.Join(err, errors.New(string(out)))
	}
	return took, nil
}

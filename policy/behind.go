package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwall/cellwall"
)

// parserLimits are those of an interpreter that only parses: a program of the
// longest length that is one list of numbers takes it 60 MiB.
var parserLimits = cellwall.Limits{
	MemoryBytes: 256 * cellwall.MiB, CPUs: 1, Processes: 16, OutputBytes: cellwall.MiB,
	WorkspaceBytes: cellwall.MiB, WorkspaceInodes: 16, TmpBytes: cellwall.MiB, TmpInodes: 16,
	Checkpoints: 1, CheckpointBytes: cellwall.MiB,
}

type opener interface {
	Open(context.Context, cellwall.Spec) (cellwall.Sandbox, error)
}

// Behind returns what Checkers need: interpreters behind a backend's wall, each a
// session that is never begun. degraded opens them although a protection is
// missing.
func Behind(backend opener, degraded bool) func(context.Context, cellwall.Environment) (cellwall.Interpreter, error) {
	return func(ctx context.Context, env cellwall.Environment) (cellwall.Interpreter, error) {
		spec := cellwall.Spec{
			Identity: cellwall.Identity{Tenant: "cellwall"}, Environment: env, Limits: parserLimits.WithDefaults(),
			Session: true, AllowDegraded: degraded,
		}
		sandbox, err := backend.Open(ctx, spec)
		if err != nil {
			return nil, err
		}
		interpreter, ok := sandbox.(cellwall.Interpreter)
		if !ok {
			return nil, errors.Join(fmt.Errorf("the backend keeps no interpreter of %s", env.Name), sandbox.Close())
		}
		if err := interpreter.Bind(ctx, cellwall.Claim{Identity: spec.Identity, Limits: spec.Limits}); err != nil {
			return nil, errors.Join(err, interpreter.Close())
		}
		return interpreter, nil
	}
}

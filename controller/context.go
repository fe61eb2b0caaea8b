package controller

import (
	"fmt"

	"github.com/cellwall/cellwall"
)

// environments opens a built environment by name. It is asked for every
// execution, so it should answer from memory.
type environments interface {
	Open(name string) (cellwall.Environment, error)
}

// context decides what the sandbox is: from policy and the operator's request,
// never from the code.
func (x *execution) context() error {
	if o := x.opened; o != nil { // decided when its session began
		x.spec, x.sandbox, x.digests, x.result.Boundary = o.spec, o.sandbox, o.digests, o.boundary
		x.spec.Limits.Timeout = x.req.Limits.Timeout
		return nil
	}
	env, err := x.environment()
	if err != nil {
		return err
	}
	x.spec = cellwall.Spec{
		Identity: x.req.Identity, Environment: env, Limits: x.req.Limits,
		Inputs: x.req.Datasets, AllowDegraded: x.req.AllowDegraded, Session: x.begins != "",
		Precedence: x.turn.Precedence,
	}
	x.result.Boundary = cellwall.Boundary{
		Backend: x.req.Backend, Environment: env.Ref(), Network: "none", Degraded: []string{},
	}
	x.digests = startDigests(x.req.Datasets)
	return nil
}

// environment is that of the request, or of the session that it is a cell of.
func (x *execution) environment() (cellwall.Environment, error) {
	if x.opened != nil {
		return x.opened.spec.Environment, nil
	}
	env, err := x.c.opts.Environments.Open(x.req.Environment)
	if err != nil {
		return env, fmt.Errorf("prepare execution: %w", err)
	}
	return env, nil
}

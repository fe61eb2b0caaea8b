package controller

import (
	"context"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

// Sandboxes hands out sandboxes of one backend, each once.
type Sandboxes interface {
	Claim(context.Context, cellwall.Spec) (cellwall.Sandbox, error)
	Destroy(cellwall.Sandbox)
}

// claim takes a sandbox that nobody used and tells it whom it serves.
func (x *execution) claim(ctx context.Context) error {
	x.template()
	sb, err := x.pool.Claim(ctx, x.open())
	if x.lost(err) {
		sb, err = x.pool.Claim(ctx, x.open())
	}
	if err != nil {
		return fmt.Errorf("claim sandbox: %w", err)
	}
	x.sandbox = sb
	if _, ok := sb.(cellwall.Interpreter); x.spec.Session && !ok {
		return bad("open session", fmt.Errorf("backend %q keeps none", x.req.Backend), "choose another backend")
	}
	x.bound = time.Now()
	err = sb.Bind(ctx, cellwall.Claim{Identity: x.spec.Identity, Inputs: x.open().Inputs, Limits: x.spec.Limits})
	if err != nil {
		return fmt.Errorf("bind sandbox: %w", err)
	}
	x.result.Boundary = sb.Boundary()
	if x.result.Boundary.Degraded == nil {
		x.result.Boundary.Degraded = []string{}
	}
	return nil
}

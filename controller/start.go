package controller

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwall/cellwall"
)

// start asks whoever keeps this work whether its code may be sent, with the turn and
// the sandbox at hand: from then on nobody may send it again. It asks once, also when
// a sandbox that died unused is followed by another one.
func (x *execution) start(ctx context.Context) error {
	if x.req.Begin == nil || x.started {
		return nil
	}
	if err := x.req.Begin(ctx); err != nil {
		return unsent(err)
	}
	x.started = true
	return nil
}

// waits reports whether err leaves work with whoever keeps it, who has it done later or
// had it done elsewhere: its code was not sent, and that is no end of it. Whoever only
// puts it off ends ctx with that cause.
func (x *execution) waits(ctx context.Context, err error) bool {
	put := errors.Is(err, cellwall.ErrNotSent) || errors.Is(context.Cause(ctx), cellwall.ErrNotSent)
	return x.req.Begin != nil && !x.started && put
}

func unsent(err error) error {
	if errors.Is(err, cellwall.ErrNotSent) {
		return err
	}
	return fmt.Errorf("%w: %w", cellwall.ErrNotSent, err)
}

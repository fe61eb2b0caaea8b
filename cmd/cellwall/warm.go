package main

import (
	"context"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

// warmer is what a backend may implement that keeps a warm interpreter: Warm
// returns when the next Open of the Spec's environment need not start one.
type warmer interface {
	Warm(context.Context, cellwall.Spec) error
}

// warm starts what a service would have running already, and says how long
// that took: it is no part of the execution.
func (p *program) warm(ctx context.Context, h *house, req cellwall.Request, silent bool) error {
	env, err := h.environments.Open(req.Environment)
	if err != nil {
		return unknownEnvironment(h.environments.store, req.Environment, err)
	}
	w, ok := h.backend.(warmer)
	if !ok {
		return nil
	}
	began := time.Now()
	err = w.Warm(ctx, cellwall.Spec{
		Environment: env, Limits: req.Limits.WithDefaults(), AllowDegraded: req.AllowDegraded,
	})
	if err != nil {
		return fmt.Errorf("warm up %s: %w", env.Name, err)
	}
	if !silent {
		p.stderr.say(faint, "cellwall: ", fmt.Sprintf("warmed %s in %s", env.Name, rounded(time.Since(began))))
	}
	return nil
}

// rounded writes a duration with three digits at most.
func rounded(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

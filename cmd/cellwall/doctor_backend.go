package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/cellwall/cellwall"
)

// What a backend that does not even open is reported with: it was asked for nothing
// else.
const (
	backendProtection = "backend"
	stateProtection   = "state_directory"
)

// examine reports a backend that cannot even start like one that can.
func (p *program) examine(ctx context.Context, name string, c *config) cellwall.Report {
	b, err := p.openBackend(name, c, p.logger())
	if err != nil {
		missing := cellwall.Protection{Name: backendProtection, State: cellwall.Missing}
		if state := c.stateUsable(); state != nil {
			missing.Name, err = stateProtection, state
		}
		missing.Detail, missing.Hint = err.Error(), cellwall.HintOf(err)
		return cellwall.Report{Backend: name, Protections: []cellwall.Protection{missing}}
	}
	report := b.Probe(ctx)
	if err := b.Close(); err != nil {
		p.explain(fmt.Errorf("close backend %s: %w", name, err))
	}
	if report.Protections == nil {
		report.Protections = []cellwall.Protection{}
	}
	return report
}

// stateUsable is nil when files can be made in the state directory.
func (c *config) stateUsable() error {
	err := os.MkdirAll(c.StateDir, 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(c.StateDir, ".cellwall-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return stateError(c, err)
	}
	return nil
}

// why is the one protection that is reported, "" when there are more.
func why(r cellwall.Report) string {
	if len(r.Protections) != 1 {
		return ""
	}
	return r.Protections[0].Name
}

// unasked reports whether nothing is known of a backend but that it does not open.
func unasked(r cellwall.Report) bool {
	return why(r) == backendProtection || why(r) == stateProtection
}

// verdictOf proposes a flag only where it helps: one that does not open does not
// run with it either.
func verdictOf(r cellwall.Report) string {
	switch {
	case r.Usable:
		return "can run"
	case why(r) == stateProtection:
		return "cannot run: the state directory cannot be used"
	case unasked(r):
		return "cannot run: it does not open"
	}
	return "cannot run without --allow-degraded"
}

package main

import (
	"context"
	"errors"
	"time"
)

// stopPatience is how long a service may take until nothing runs there any more: it
// looks, cancels, and waits for the ends.
const stopPatience = 3 * freezeTime

// lockdownVerb is "cellwall lockdown".
type lockdownVerb struct {
	Why     string `arg:"" name:"WHY" help:"What is wrong, for the record."`
	Pattern string `placeholder:"RE" help:"Code that matches this stays refused, also after the lockdown (RE2)."`
	Since   string `placeholder:"DAY" default:"1d" help:"Records of this UTC day and later are looked through for the evidence (2026-11-30, or 12h)."`
	JSON    bool   `name:"json" help:"Print one document."`
}

// Help is the part of the help that says what happens.
func (*lockdownVerb) Help() string {
	return `At once: no verb and no service of this state directory begins new work. A
service cancels what runs, empties its pools and freezes its sessions, which keep
their state; this verb returns when nothing runs there any more, and says so when
the service does not answer. Reading goes on, deleting does not. Then the evidence
is gathered in a directory of its own:
the records that hit the wall (or match --pattern), the tenants they belong to,
the state of the chain of records, the sessions that lived, and a form for the
post-mortem. A service tells the tenants that are concerned by an event, and so by
their webhooks, when it begins and when it ends.`
}

// Run locks down.
func (v *lockdownVerb) Run(ctx context.Context, p *program, c *config) error {
	since, err := readDay(v.Since)
	if err != nil {
		return err
	}
	l, err := c.lock(lockdown{By: whoAmI(), Why: v.Why, Pattern: v.Pattern}, since, func(l lockdown) error {
		return c.awaitService(ctx, stopPatience, func(said seenState) bool { return said.Stopped == l.Report })
	})
	if l == nil {
		return err
	}
	if v.JSON {
		return errors.Join(err, p.printJSON(l))
	}
	p.stdout.printf("locked down at %s; evidence in %s\n", l.At.Format(time.RFC3339), l.Report)
	return err
}

// unlockVerb is "cellwall unlock".
type unlockVerb struct {
	Why string `arg:"" name:"WHY" help:"Why work may begin again, for the record."`
}

// Run unlocks.
func (v *unlockVerb) Run(ctx context.Context, p *program, c *config) error {
	l, err := c.unlock(whoAmI(), v.Why)
	if err != nil {
		return err
	}
	p.stdout.printf("unlocked; the post-mortem form is %s/post-mortem.md\n", l.Report)
	return c.awaitService(ctx, seenPatience, func(said seenState) bool { return said.V != 0 && !said.Locked })
}

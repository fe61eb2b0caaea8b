package main

import "time"

// lockdownVerb is "cellwall lockdown".
type lockdownVerb struct {
	Why     string `arg:"" name:"WHY" help:"What is wrong, for the record."`
	Pattern string `placeholder:"RE" help:"Code that matches this stays refused, also after the lockdown (RE2)."`
	Since   string `placeholder:"DAY" default:"1d" help:"Records of this UTC day and later are looked through for the evidence (2026-11-30, or 12h)."`
	JSON    bool   `name:"json" help:"Print one document."`
}

// Help is the part of the help that says what happens.
func (*lockdownVerb) Help() string {
	return `At once: no verb and no service of this state directory begins new work. Within
a moment a service cancels what runs, empties its pools and freezes its sessions,
which keep their state. Reading goes on, deleting does not. The evidence is gathered in a directory of its own:
the records that hit the wall (or match --pattern), the tenants they belong to,
the state of the chain of records, the sessions that lived, and a form for the
post-mortem. A service tells the tenants that are concerned by an event, and so by
their webhooks, when it begins and when it ends.`
}

// Run locks down.
func (v *lockdownVerb) Run(p *program, c *config) error {
	since, err := readDay(v.Since)
	if err != nil {
		return err
	}
	l, err := c.lock(lockdown{By: whoAmI(), Why: v.Why, Pattern: v.Pattern}, since)
	if err != nil {
		return err
	}
	if v.JSON {
		return p.printJSON(l)
	}
	p.stdout.printf("locked down at %s; evidence in %s\n", l.At.Format(time.RFC3339), l.Report)
	return nil
}

// unlockVerb is "cellwall unlock".
type unlockVerb struct {
	Why string `arg:"" name:"WHY" help:"Why work may begin again, for the record."`
}

// Run unlocks.
func (v *unlockVerb) Run(p *program, c *config) error {
	l, err := c.unlock(whoAmI(), v.Why)
	if err != nil {
		return err
	}
	p.stdout.printf("unlocked; the post-mortem form is %s/post-mortem.md\n", l.Report)
	return nil
}

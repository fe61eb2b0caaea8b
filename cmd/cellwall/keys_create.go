package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/quota"
)

type keysCreateVerb struct {
	bookFlags
	Tenant  string   `required:"" placeholder:"NAME" help:"Whose it is; a tenant that is not there yet is added. \"local\" is the operator."`
	Scope   []string `placeholder:"SCOPE,…" default:"execute" help:"What it may do: execute, admin, audit."`
	Name    string   `placeholder:"TEXT" help:"What it is for."`
	Expires string   `placeholder:"90d" help:"After how long, or when (2027-01-31), it opens nothing any more (default: never)."`
	JSON    bool     `name:"json" help:"Print one document."`
}

// Help is the part of the help that shows how it is used.
func (*keysCreateVerb) Help() string {
	return `Examples:

  cellwall keys create --tenant acme
  cellwall keys create --tenant acme --scope execute,admin --expires 90d --name ci
  KEY=$(cellwall keys create --tenant acme)

The key is the only thing on standard output. It is shown once: what is kept is
its hash.`
}

// Run makes a key.
func (v *keysCreateVerb) Run(ctx context.Context, p *program, c *config) (err error) {
	now := time.Now()
	expires, err := parseExpiry(v.Expires, now)
	if err != nil {
		return usage("read --expires", err, "write for example 90d, 12h or 2027-01-31")
	}
	if err := quota.CheckKey(v.Name, v.Scope, expires); err != nil {
		return err
	}
	desk, err := v.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	t, err := v.tenant(ctx, p, desk.Desk)
	if err != nil {
		return err
	}
	text, k, err := desk.NewKey(ctx, t.ID, v.Name, v.scopes(), expires)
	if err != nil {
		return err
	}
	if err := desk.awaitSeen(ctx, c); err != nil { // it is made, and its text is told once only
		p.stderr.say(plain, "cellwall: ", "the key may not open anything yet: "+err.Error())
	}
	if v.JSON {
		document := describeKey(desk.Desk, k)
		document.Key = text
		return p.printJSON(document)
	}
	if _, err := fmt.Fprintln(p.stdout, text); err != nil {
		return fmt.Errorf("print key: %w", err)
	}
	until := "never expires"
	if !expires.IsZero() {
		until = "expires " + expires.Format(time.RFC3339)
	}
	p.stderr.say(plain, "cellwall: ", fmt.Sprintf("%s of tenant %s, scopes %s, %s; keep it, it is not shown again", k.ID, t.Name, strings.Join(k.Scopes, ","), until))
	return nil
}

// scopes are the scopes, each once, in their order.
func (v *keysCreateVerb) scopes() (list []string) {
	for _, s := range cellwall.Scopes() {
		if slices.Contains(v.Scope, s) {
			list = append(list, s)
		}
	}
	return list
}

// tenant finds or adds whose key it will be.
func (v *keysCreateVerb) tenant(ctx context.Context, p *program, desk *quota.Desk) (cellwall.Tenant, error) {
	t, err := desk.TenantNamed(v.Tenant)
	switch {
	case cellwall.CodeOf(err) == cellwall.CodeNotFound:
		if t, err = desk.AddTenant(ctx, cellwall.NewID(cellwall.PrefixTenant), v.Tenant, cellwall.Terms{}); err == nil {
			p.stderr.say(plain, "cellwall: ", "added tenant "+t.Name+", with the service's default terms")
		}
		return t, err
	case err != nil:
		return t, err
	case t.State == cellwall.TenantClosed:
		return t, usage("make key", fmt.Errorf("the tenant %s is closed", t.Name), "")
	}
	return t, nil
}

// parseExpiry reads a time from now, or a day.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(form, text); err == nil {
			return at.UTC(), nil
		}
	}
	d, err := parseDuration(text)
	if err != nil {
		return time.Time{}, err
	}
	if d <= 0 {
		return time.Time{}, fmt.Errorf("%s is not in the future", text)
	}
	return now.Add(d).UTC(), nil
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/store"
)

// keysVerb is "cellwall keys".
type keysVerb struct {
	Create keysCreateVerb `cmd:"" help:"Make a key of a tenant and print it, once."`
	List   keysListVerb   `cmd:"" help:"List keys; their texts are nowhere kept."`
	Revoke keysRevokeVerb `cmd:"" help:"Have a key open nothing any more."`
}

// bookFlags say where the tenants and keys of a service are.
type bookFlags struct {
	Config   string `placeholder:"FILE" help:"Settings of the service, in TOML."`
	Database string `placeholder:"URL" help:"sqlite:PATH or postgres://… (default: service.db in the state directory)."`
}

// openedBook is the book of a service, at the command line.
type openedBook struct {
	*quota.Desk
	address string
	kept    *store.Store
}

// Close ends the desk before the store.
func (b *openedBook) Close() error { return errors.Join(b.Desk.Close(), b.kept.Close()) }

// book is where the tenants and keys are.
func (s *serveSettings) book(c *config) string { return cmp.Or(s.Database, store.Default(c.StateDir)) }

// open opens the book of the service, whether it runs or not. Who changes it waits
// until a running one has seen that: see awaitSeen.
func (b *bookFlags) open(ctx context.Context, c *config) (_ *openedBook, err error) {
	flags := map[string]any{}
	if b.Database != "" {
		flags["database"] = b.Database
	}
	set, err := loadSettings(b.Config, os.Environ(), flags)
	if err != nil {
		return nil, err
	}
	tenants, err := set.tenants()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.StateDir, 0o755); err != nil {
		return nil, stateError(c, err)
	}
	kept, err := store.Open(ctx, set.book(c), store.Options{})
	if err != nil {
		return nil, err
	}
	desk, err := quota.New(ctx, quota.Options{Book: kept, Config: tenants, Defaults: set.Defaults})
	if err != nil {
		return nil, errors.Join(err, kept.Close())
	}
	return &openedBook{desk, set.book(c), kept}, nil
}

// keyDocument is a key as it is printed.
type keyDocument struct {
	Key      string     `json:"key,omitempty"` // its text, at its making only
	ID       string     `json:"id"`
	Tenant   string     `json:"tenant"` // its name
	TenantID string     `json:"tenant_id"`
	Name     string     `json:"name,omitempty"`
	Scopes   []string   `json:"scopes"`
	Created  time.Time  `json:"created_at"`
	Expires  *time.Time `json:"expires_at"`
	Revoked  *time.Time `json:"revoked_at"`
}

func describeKey(d *quota.Desk, k cellwall.Key) keyDocument {
	t, err := d.Tenant(k.Tenant)
	if err != nil {
		t.Name = k.Tenant // its tenant is gone, which only a hand in the database does
	}
	return keyDocument{
		ID: k.ID, Tenant: t.Name, TenantID: k.Tenant, Name: k.Name, Scopes: k.Scopes,
		Created: k.Created, Expires: timeOrNil(k.Expires), Revoked: timeOrNil(k.Revoked),
	}
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// state is what the key does now.
func (k *keyDocument) state(now time.Time) string {
	switch {
	case k.Revoked != nil:
		return "revoked"
	case k.Expires != nil && !now.Before(*k.Expires):
		return "expired"
	}
	return "valid"
}

type keysListVerb struct {
	bookFlags
	Tenant string `placeholder:"NAME" help:"Only this tenant's."`
	JSON   bool   `name:"json" help:"Print one document."`
}

// Run lists keys, oldest first.
func (v *keysListVerb) Run(ctx context.Context, p *program, c *config) (err error) {
	desk, err := v.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	tenant := ""
	if v.Tenant != "" {
		t, err := namedTenant(desk.Desk, v.Tenant)
		if err != nil {
			return err
		}
		tenant = t.ID
	}
	list := []keyDocument{}
	for _, k := range desk.Keys(tenant) {
		list = append(list, describeKey(desk.Desk, k))
	}
	if v.JSON {
		return p.printJSON(list)
	}
	tw := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "ID\tTENANT\tNAME\tSCOPES\tCREATED\tEXPIRES\tSTATE")
	for _, k := range list {
		expires := "never"
		if k.Expires != nil {
			expires = k.Expires.Format(time.DateOnly)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Tenant, k.Name, strings.Join(k.Scopes, ","),
			k.Created.Format(time.DateOnly), expires, k.state(time.Now()))
	}
	return tw.Flush()
}

// namedTenant finds a tenant, and names those that there are when there is none.
func namedTenant(d *quota.Desk, name string) (cellwall.Tenant, error) {
	t, err := d.TenantNamed(name)
	if err == nil {
		return t, nil
	}
	var names []string
	for _, t := range d.Tenants() {
		names = append(names, t.Name)
	}
	return t, usage("find tenant", fmt.Errorf("%q is not one", name), "known tenants: "+strings.Join(names, ", "))
}

type keysRevokeVerb struct {
	bookFlags
	Key string `arg:"" name:"KEY" help:"Its id, or the key itself."`
}

// Run revokes one key.
func (v *keysRevokeVerb) Run(ctx context.Context, p *program, c *config) (err error) {
	desk, err := v.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	revoked := cellwall.Key{ID: v.Key}
	for _, k := range desk.Keys("") {
		if k.ID == v.Key || quota.IsKey(v.Key) && k.SHA256 == quota.HashKey(v.Key) {
			revoked = k
		}
	}
	if err := desk.Revoke(ctx, "", revoked.ID); err != nil {
		if cellwall.CodeOf(err) == cellwall.CodeNotFound {
			return usage("revoke key", errors.New("there is no such key"), "cellwall keys list")
		}
		return err
	}
	p.stderr.say(plain, "cellwall: ", "revoked "+revoked.ID)
	if err := desk.awaitSeen(ctx, c); errors.Is(err, errOtherBook) {
		p.stderr.say(plain, "cellwall: ", err.Error())
	} else if err != nil { // it may open something still
		return err
	}
	return nil
}

package quota

import (
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// Tenants returns everybody, by name, with the terms that hold now.
func (d *Desk) Tenants() []cellwall.Tenant {
	dir := d.directory.Load()
	var list []cellwall.Tenant
	for _, name := range slices.Sorted(maps.Keys(dir.names)) {
		list = append(list, *dir.tenants[dir.names[name]])
	}
	return list
}

var tenantName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$`)

// AddTenant adds a tenant under its name, active, once: where this id has the name
// already, that one is given. What its terms leave open is filled by the service's
// defaults when it is asked for, not here.
func (d *Desk) AddTenant(ctx context.Context, id, name string, terms cellwall.Terms) (cellwall.Tenant, error) {
	t := cellwall.Tenant{ID: id, Name: name, State: cellwall.TenantActive, Created: time.Now().UTC(), Terms: terms}
	known, ok := d.directory.Load().names[name]
	if ok && known == id {
		return d.Tenant(id)
	}
	if ok || name == cellwall.LocalTenant {
		return t, &cellwall.Error{Code: cellwall.CodeConflict, Op: "add tenant", Err: fmt.Errorf("%q is there already", name)}
	}
	if err := checkTenant(t); err != nil {
		return t, err
	}
	return t, d.save(ctx, t)
}

// ChangeTenant changes state, reason and terms of a tenant. Terms that the
// configuration has are changed there: CodeConflict.
func (d *Desk) ChangeTenant(ctx context.Context, id string, change func(*cellwall.Tenant)) (cellwall.Tenant, error) {
	t, _, err := d.kept(id)
	if err != nil {
		return t, err
	}
	before := t
	change(&t)
	t.ID, t.Name, t.Created = before.ID, before.Name, before.Created
	if !reflect.DeepEqual(t.Terms, before.Terms) && d.configured(t.Name) {
		return t, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "change tenant", Err: fmt.Errorf("the terms of %q are in the configuration", t.Name),
			Hint: "change them there, and send the service a SIGHUP",
		}
	}
	if err := checkTenant(t); err != nil {
		return t, err
	}
	if err := d.save(ctx, t); err != nil {
		return t, err
	}
	if t.State == cellwall.TenantActive { // whoever was released begins anew
		a := d.lock(t.ID)
		a.judged, a.hits = "", hits{}
		a.mu.Unlock()
		if before.State == cellwall.TenantQuarantined {
			d.tell(KindReleased, t)
		}
	}
	return d.Tenant(id)
}

func checkTenant(t cellwall.Tenant) error {
	wrong := func(format string, args ...any) error {
		return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "save tenant", Err: fmt.Errorf(format, args...)}
	}
	switch {
	case !tenantName.MatchString(t.Name):
		return wrong("%q is no name: a-z, 0-9 and -, at most 64", t.Name)
	case t.State != cellwall.TenantActive && t.State != cellwall.TenantQuarantined && t.State != cellwall.TenantClosed:
		return wrong("%q is none of active, quarantined, closed", t.State)
	case t.ID == cellwall.LocalTenant && t.State != cellwall.TenantActive:
		return wrong("the operator stays active")
	}
	for _, l := range []cellwall.Limits{t.Terms.Default, t.Terms.Ceiling} {
		if err := l.WithDefaults().Validate(); err != nil {
			return wrong("%w", err)
		}
	}
	return checkBounds(&t.Terms, wrong)
}

// checkBounds refuses numbers that are none.
func checkBounds(t *cellwall.Terms, wrong func(string, ...any) error) error {
	for _, b := range [...]struct {
		name  string
		value float64
	}{
		{"rate.per_second", t.Rate.PerSecond},
		{"rate.burst", float64(t.Rate.Burst)},
		{"subject_rate.per_second", t.SubjectRate.PerSecond},
		{"subject_rate.burst", float64(t.SubjectRate.Burst)},
		{"concurrency", float64(t.Concurrency)},
		{"subject_concurrency", float64(t.SubjectConcurrency)},
		{"waiting", float64(t.Waiting)},
		{"sessions", float64(t.Sessions)},
		{"background", float64(t.Background)},
		{"budget_period", float64(t.BudgetPeriod)},
		{"store_bytes", float64(t.StoreBytes)},
		{"retention", float64(t.Retention)},
	} {
		if !(b.value >= 0) || math.IsInf(b.value, 0) {
			return wrong("%s: %v is below 0, or no number", b.name, b.value)
		}
	}
	return nil
}

func (d *Desk) save(ctx context.Context, t cellwall.Tenant) error {
	if err := d.opts.Book.SaveTenant(ctx, t); err != nil {
		return fmt.Errorf("save tenant: %w", err)
	}
	return d.load(ctx)
}

// Keys returns the keys of a tenant, oldest first; "" means everybody's.
func (d *Desk) Keys(tenant string) []cellwall.Key {
	var list []cellwall.Key
	for _, k := range d.directory.Load().keys {
		if tenant == "" || k.Tenant == tenant {
			list = append(list, *k)
		}
	}
	slices.SortFunc(list, func(a, b cellwall.Key) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list
}

// NewKey makes a key of a tenant and keeps its hash; text is told once. The book says
// how many a tenant may have.
func (d *Desk) NewKey(ctx context.Context, tenant, name string, scopes []string, expires time.Time) (text string, k cellwall.Key, err error) {
	if err := CheckKey(name, scopes, expires); err != nil {
		return "", k, err
	}
	t, err := d.Tenant(tenant)
	if err != nil {
		return "", k, err
	}
	text, k = NewKey(t.ID, name, scopes, expires)
	if err := d.saveKey(ctx, t.ID, k); err != nil {
		return "", k, err
	}
	return text, k, nil
}

// saveKey keeps a key, and its tenant before when that is in no book yet.
func (d *Desk) saveKey(ctx context.Context, id string, k cellwall.Key) error {
	t, booked, err := d.kept(id)
	if err != nil {
		return err
	}
	if !booked {
		if err := d.opts.Book.SaveTenant(ctx, t); err != nil {
			return fmt.Errorf("save tenant of key: %w", err)
		}
	}
	if err := d.opts.Book.SaveKey(ctx, k); err != nil {
		return fmt.Errorf("save key: %w", err)
	}
	return d.load(ctx)
}

// maxKeyName is the length of a key's name, in bytes.
const maxKeyName = 128

// CheckKey refuses what cannot be meant, as CodeBadRequest.
func CheckKey(name string, scopes []string, expires time.Time) error {
	wrong := func(format string, args ...any) error {
		return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "make key", Err: fmt.Errorf(format, args...)}
	}
	if len(name) > maxKeyName || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return wrong("its name is longer than %d bytes, or not all of it can be printed", maxKeyName)
	}
	if len(scopes) == 0 {
		return wrong("it has no scope; there are %s", strings.Join(cellwall.Scopes(), ", "))
	}
	for _, s := range scopes {
		if !slices.Contains(cellwall.Scopes(), s) {
			return wrong("%q is no scope; there are %s", s, strings.Join(cellwall.Scopes(), ", "))
		}
	}
	if !expires.IsZero() && !expires.After(time.Now()) {
		return wrong("it would have expired already")
	}
	return nil
}

// Revoke ends a key of a tenant; "" means anybody's. One that is revoked
// already stays so.
func (d *Desk) Revoke(ctx context.Context, tenant, id string) error {
	for _, k := range d.directory.Load().keys {
		if k.ID != id || tenant != "" && k.Tenant != tenant {
			continue
		}
		if !k.Revoked.IsZero() {
			return nil
		}
		revoked := *k
		revoked.Revoked = time.Now().UTC()
		if err := d.opts.Book.SaveKey(ctx, revoked); err != nil {
			return fmt.Errorf("save key: %w", err)
		}
		return d.load(ctx)
	}
	return unknown("key")
}

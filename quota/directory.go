package quota

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
)

// directory is who there is, as of one revision. It never changes.
type directory struct {
	revision int64
	keys     map[[32]byte]*cellwall.Key
	tenants  map[string]*cellwall.Tenant // by ID
	names    map[string]string           // to IDs
}

// load reads the book and lays the configuration over it.
func (d *Desk) load(ctx context.Context) error {
	d.loading.Lock()
	defer d.loading.Unlock()
	revision, err := d.opts.Book.Revision(ctx) // before the rest: a change meanwhile is read again
	if err != nil {
		return fmt.Errorf("load tenants: %w", err)
	}
	tenants, err := d.opts.Book.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("load tenants: %w", err)
	}
	keys, err := d.opts.Book.Keys(ctx)
	if err != nil {
		return fmt.Errorf("load keys: %w", err)
	}
	d.booked = booked{revision, tenants, keys}
	d.publish()
	if d.opts.Loaded != nil {
		d.opts.Loaded(revision)
	}
	return nil
}

// booked is what the book said last.
type booked struct {
	revision int64
	tenants  []cellwall.Tenant
	keys     []cellwall.Key
}

// publish makes a directory of what the book and the configuration say. The
// caller holds loading.
func (d *Desk) publish() {
	dir := &directory{
		revision: d.booked.revision, keys: map[[32]byte]*cellwall.Key{},
		tenants: map[string]*cellwall.Tenant{}, names: map[string]string{},
	}
	dir.add(cellwall.Tenant{ID: cellwall.LocalTenant, Name: cellwall.LocalTenant, State: cellwall.TenantActive})
	for _, t := range d.booked.tenants {
		dir.add(t)
	}
	for _, t := range d.config {
		if known, ok := dir.tenants[dir.names[t.Name]]; ok {
			t.ID, t.Created = known.ID, known.Created
			if t.State == cellwall.TenantActive {
				t.State, t.Reason = known.State, known.Reason
			}
		}
		dir.add(t)
	}
	for _, t := range dir.tenants {
		if t.ID == cellwall.LocalTenant {
			t.Terms.Operator = true
			continue
		}
		t.Terms = withDefaults(t.Terms, d.opts.Defaults)
	}
	for _, k := range d.booked.keys {
		dir.keys[k.SHA256] = &k
	}
	d.directory.Store(dir)
}

func (d *directory) add(t cellwall.Tenant) {
	t.State = cmp.Or(t.State, cellwall.TenantActive)
	d.tenants[t.ID], d.names[t.Name] = &t, t.ID
}

// withDefaults fills what terms leave open. Nobody becomes an operator by it.
func withDefaults(t, standard cellwall.Terms) cellwall.Terms {
	operator := t.Operator
	fill(reflect.ValueOf(&t).Elem(), reflect.ValueOf(standard))
	t.Operator = operator
	return t
}

// fill sets the zero fields of a struct. Limits are filled one by one; a rate or
// a budget means something as a whole only.
func fill(of, from reflect.Value) {
	for i := range of.NumField() {
		switch field := of.Field(i); {
		case field.Type() == reflect.TypeFor[cellwall.Limits]():
			fill(field, from.Field(i))
		case field.IsZero():
			field.Set(from.Field(i))
		}
	}
}

// kept returns a tenant as it is in the book, else one that could be: without
// the terms of the configuration and the defaults, which may change under it.
func (d *Desk) kept(id string) (t cellwall.Tenant, booked bool, err error) {
	d.loading.Lock()
	defer d.loading.Unlock()
	for _, t := range d.booked.tenants {
		if t.ID == id {
			return t, true, nil
		}
	}
	known, ok := d.directory.Load().tenants[id]
	if !ok {
		return t, false, unknown("tenant")
	}
	return cellwall.Tenant{ID: known.ID, Name: known.Name, State: known.State, Reason: known.Reason, Created: time.Now().UTC()}, false, nil
}

// configured reports whether the configuration has a tenant of this name.
func (d *Desk) configured(name string) bool {
	d.loading.Lock()
	defer d.loading.Unlock()
	return slices.ContainsFunc(d.config, func(t cellwall.Tenant) bool { return t.Name == name })
}

// Reload has these tenants win over the book's, and these terms fill what
// tenants leave open.
func (d *Desk) Reload(config []cellwall.Tenant, defaults cellwall.Terms) {
	d.loading.Lock()
	defer d.loading.Unlock()
	d.config, d.opts.Defaults = config, defaults
	d.publish()
}

// Tenant returns a tenant with the terms that hold now.
func (d *Desk) Tenant(id string) (cellwall.Tenant, error) {
	if t, ok := d.directory.Load().tenants[id]; ok {
		return *t, nil
	}
	return cellwall.Tenant{}, unknown("tenant")
}

// TenantNamed is Tenant by name.
func (d *Desk) TenantNamed(name string) (cellwall.Tenant, error) {
	return d.Tenant(d.directory.Load().names[name])
}

package main

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/quota"
)

// recorder keeps entries, as controller and api know it.
type recorder interface {
	Append(at time.Time, entry any) error
}

// openDesk reads who there is, and says how to make a first key.
func (s *service) openDesk(ctx context.Context) error {
	tenants, err := s.settings.tenants()
	if err != nil {
		return err
	}
	set := s.settings
	s.desk, err = quota.New(ctx, quota.Options{
		Book: s.kept, Config: tenants, Defaults: set.Defaults, Backend: set.Backend, Environment: set.Environment,
		Quarantine: quota.Quarantine{Hits: set.Quarantine.Hits, Window: set.Quarantine.Window}, Logger: s.log,
		Loaded: s.sayRevision,
	})
	if err != nil {
		return err
	}
	s.undo.Add(s.desk.Close)
	s.masks = &masks{tenant: s.tenant, log: s.log}
	s.kept.ledger.mask, s.kept.ledger.stored = s.masks.text, s.desk.Stored
	s.kept.terms, s.kept.stored = s.terms, s.desk.Stored
	if len(s.desk.Keys("")) == 0 {
		s.program.stderr.say(plain, "cellwall: ", "there is no key yet, so nobody is served through TCP; make one: cellwall keys create --tenant NAME")
	}
	return nil
}

// terms are those of a tenant; of none, those that say nothing.
func (s *service) terms(tenant string) cellwall.Terms {
	t, err := s.desk.Tenant(tenant)
	if err != nil {
		return cellwall.Terms{}
	}
	return t.Terms
}

// reloadDesk takes the tenants of the settings as they are now.
func (s *service) reloadDesk() error {
	tenants, err := s.settings.tenants()
	if err != nil {
		return err
	}
	s.desk.Reload(tenants, s.settings.Defaults)
	return nil
}

// addDesk gives the API who calls, and the routes of tenants and keys.
func (s *service) addDesk(o *api.Options) { o.Keys, o.Accounts = s.desk, checkedAccounts{s.desk} }

// quarantineSettings say when a tenant whose executions keep hitting the wall
// runs no more.
type quarantineSettings struct {
	Hits   int           // executions that hit it within Window; -1 = never
	Window time.Duration // 0 = ten minutes
}

// watched has the desk look at every execution that is recorded: refused calls
// are in no Result.
type watched struct {
	next recorder
	desk *quota.Desk
}

// Append records and looks.
func (w watched) Append(at time.Time, entry any) error {
	if err := w.next.Append(at, entry); err != nil {
		return err
	}
	if e, ok := entry.(controller.Entry); ok && e.Refusal == "" {
		w.desk.Watch(e.Identity, e.Status, e.Cause, e.Refused)
	}
	return nil
}

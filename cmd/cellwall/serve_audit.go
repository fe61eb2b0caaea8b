package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/audit"
)

// addAudit gives the API records, receipts and lockdowns.
func (s *service) addAudit(o *api.Options) {
	o.Entries, o.Receipts, o.Lockdowns = s.kept.Store, receipts{s}, lockdowns{s}
}

// receipts sign what the log says.
type receipts struct{ s *service }

// Receipt finds the record from the day of the execution on.
func (r receipts) Receipt(_ context.Context, k cellwall.KeptExecution) (api.Receipt, error) {
	line, err := r.s.records.Find(k.ID, k.At)
	if errors.Is(err, audit.ErrNotFound) { // let go after its time
		return api.Receipt{}, &cellwall.Error{Code: cellwall.CodeNotFound, Op: "sign receipt", Err: errors.New("its record is not kept any more")}
	}
	if err != nil {
		return api.Receipt{}, err
	}
	signed, err := audit.NewReceipt(line, k.Result, r.s.key)
	return api.Receipt{Receipt: signed.Receipt, Key: signed.Key, Signature: signed.Signature}, err
}

// Key is the public one.
func (r receipts) Key() string { return r.s.key.Public().String() }

// lockdowns write the file that the service follows, and follow it at once.
type lockdowns struct{ s *service }

// Lockdown stops everything.
func (d lockdowns) Lockdown(ctx context.Context, by, why, pattern string) (api.Lockdown, error) {
	ctx = context.WithoutCancel(ctx)
	l, err := d.s.config.lock(lockdown{By: by, Why: why, Pattern: pattern}, time.Now().Add(-24*time.Hour), func(lockdown) error {
		d.s.followLockdown(ctx)
		return nil
	})
	if err != nil {
		return api.Lockdown{}, err
	}
	d.s.followLockdown(ctx) // the evidence says who is to hear of it
	return lockdownView(l)
}

// Unlock lets work begin again.
func (d lockdowns) Unlock(ctx context.Context, by, why string) (api.Lockdown, error) {
	l, err := d.s.config.unlock(by, why)
	if err != nil {
		return api.Lockdown{}, err
	}
	d.s.followLockdown(context.WithoutCancel(ctx))
	return lockdownView(l)
}

// lockdownView is a lockdown with the tenants that its evidence names.
func lockdownView(l *lockdown) (api.Lockdown, error) {
	view := api.Lockdown{By: l.By, Why: l.Why, At: l.At, Tenants: []api.LockdownAffected{}}
	list, err := l.affected()
	for _, a := range list {
		view.Tenants = append(view.Tenants, api.LockdownAffected(a))
	}
	return view, err
}

// affected are the tenants that the evidence names.
func (l *lockdown) affected() (list []affected, err error) {
	raw, err := os.ReadFile(filepath.Join(l.Report, "tenants.json"))
	if errors.Is(err, fs.ErrNotExist) || err != nil && l.Report == "" {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	return list, err
}

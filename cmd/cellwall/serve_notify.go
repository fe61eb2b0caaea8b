package main

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/notify"
	"github.com/cellwall/cellwall/store"
)

// told has readers and senders of events look when something was recorded, and
// counts verdicts for alert rules. The events themselves are kept by the ledger.
type told struct {
	next recorder
	bus  *notify.Bus
}

// Append records, then tells.
func (t told) Append(at time.Time, entry any) error {
	if err := t.next.Append(at, entry); err != nil {
		return err
	}
	e, ok := entry.(controller.Entry)
	if !ok || !speaks(e) {
		return nil
	}
	calls := map[string]int64{}
	for _, r := range e.Refused {
		calls[r.Call] += r.Count
	}
	t.bus.Count(notify.Verdict{Tenant: e.Identity.Tenant, At: time.Now(), Status: e.Status, Refused: turnedAway(e), Calls: calls})
	t.bus.Kept(e.Identity.Tenant)
	return nil
}

// keptWebhooks are the webhooks of the store, checked by the room that calls them.
type keptWebhooks struct {
	*store.Store
	allowPrivate bool
}

var _ api.Webhooks = keptWebhooks{}

// Make keeps a webhook with a new secret, unless it stands.
func (k keptWebhooks) Make(ctx context.Context, tenant, id, url string, kinds []string) (cellwall.Webhook, error) {
	if err := notify.CheckURL(url, k.allowPrivate); err != nil {
		return cellwall.Webhook{}, err
	}
	w := cellwall.Webhook{
		ID: id, Tenant: tenant, URL: url, Secret: notify.NewSecret(), Kinds: kinds,
		State: cellwall.WebhookActive, At: time.Now().UTC(),
	}
	if err := k.SaveWebhook(ctx, w); err != nil {
		return cellwall.Webhook{}, err
	}
	return k.Webhook(ctx, tenant, id)
}

// keptAlerts are the rules of the store, as the room that looks after them knows
// them.
type keptAlerts struct {
	kept     *store.Store
	bus      *notify.Bus
	operator func(tenant string) bool
}

var _ api.Alerts = keptAlerts{}

// MakeAlert keeps a rule, which counts from now on.
func (k keptAlerts) MakeAlert(ctx context.Context, tenant, id string, raw json.RawMessage) (cellwall.AlertRule, error) {
	if _, err := notify.ReadRule(raw, k.operator(tenant)); err != nil {
		return cellwall.AlertRule{}, err
	}
	rule := cellwall.AlertRule{ID: id, Tenant: tenant, Rule: raw, At: time.Now().UTC()}
	if err := k.kept.SaveAlert(ctx, rule); err != nil {
		return cellwall.AlertRule{}, err
	}
	if err := k.bus.Reload(ctx); err != nil {
		return cellwall.AlertRule{}, err
	}
	list, err := k.bus.Alerts(ctx, tenant) // it may have stood before
	if at := slices.IndexFunc(list, func(a cellwall.AlertRule) bool { return a.ID == id }); at >= 0 {
		rule = list[at]
	}
	return rule, err
}

// Alerts lists a tenant's rules with how they stand.
func (k keptAlerts) Alerts(ctx context.Context, tenant string) ([]cellwall.AlertRule, error) {
	return k.bus.Alerts(ctx, tenant)
}

// DeleteAlert removes a rule.
func (k keptAlerts) DeleteAlert(ctx context.Context, tenant, id string) error {
	if err := k.kept.DeleteAlert(ctx, tenant, id); err != nil {
		return err
	}
	return k.bus.Reload(ctx)
}

// openBus opens the room of notices over the store.
func openBus(ctx context.Context, kept *store.Store, o notify.Options) (*notify.Bus, error) {
	o.Book = kept
	return notify.Open(ctx, o)
}

// openNotify has tenants told of what happens.
func (s *service) openNotify(ctx context.Context) (err error) {
	s.bus, err = openBus(ctx, s.kept.Store, notify.Options{
		AllowPrivate: s.settings.Webhooks.AllowPrivate, Operator: s.operates, Logger: s.log,
		Queue: func() (int, time.Duration) {
			now := s.queue.Stats()
			return now.Waiting, now.PredictedCorrected
		},
	})
	if err != nil {
		return err
	}
	s.undo.Add(s.bus.Close)
	s.desk.Hear(s.bus.Tell)
	return nil
}

// operates reports whether a tenant's rules may count what is everybody's.
func (s *service) operates(tenant string) bool {
	t, err := s.tenant(tenant)
	return err == nil && t.Terms.Operator
}

// addNotify gives the API what tenants hear, and have told.
func (s *service) addNotify(o *api.Options) {
	o.Events, o.Background = s.bus, leftBehind{s.kept.ledger, s.bus}
	o.Webhooks = keptWebhooks{s.kept.Store, s.settings.Webhooks.AllowPrivate}
	o.Alerts = keptAlerts{s.kept.Store, s.bus, s.operates}
}

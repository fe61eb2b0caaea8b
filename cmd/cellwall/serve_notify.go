package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/notify"
	"github.com/cellwall/cellwall/store"
)

// told has tenants hear of what was recorded, when it is on disk.
type told struct {
	next interface {
		Append(at time.Time, entry any) error
	}
	bus *notify.Bus
}

// Append records, then tells.
func (t told) Append(at time.Time, entry any) error {
	if err := t.next.Append(at, entry); err != nil {
		return err
	}
	if e, ok := entry.(controller.Entry); ok && (e.Code != "" || e.Refusal != "") { // else nothing was to run
		t.tell(e)
	}
	return nil
}

func (t told) tell(e controller.Entry) {
	refused := e.Refusal != "" || e.Status == cellwall.StatusRefused
	calls := map[string]int64{}
	for _, r := range e.Refused {
		calls[r.Call] += r.Count
	}
	t.bus.Count(notify.Verdict{Tenant: e.Identity.Tenant, At: time.Now(), Status: e.Status, Refused: refused, Calls: calls})
	kind := "execution.done"
	if refused {
		kind = "execution.refused"
	}
	data, err := json.Marshal(executionTold{
		ID: e.ID, Session: e.Session, Call: e.Call, Subject: e.Identity.Subject, Status: e.Status, Cause: e.Cause,
		Refusal: e.Refusal, WallMS: e.Usage.WallMS, Artifacts: len(e.Artifacts),
	})
	if err == nil { // ids, words and numbers always can be
		t.bus.Tell(cellwall.Happening{Tenant: e.Identity.Tenant, Kind: kind, Data: data})
	}
}

// executionTold is what an event says of an execution: no code, no data.
type executionTold struct {
	ID        string             `json:"execution_id"`
	Session   string             `json:"session_id,omitempty"`
	Call      string             `json:"request_id,omitempty"`
	Subject   string             `json:"subject,omitempty"`
	Status    cellwall.Status    `json:"status"`
	Cause     cellwall.Cause     `json:"cause,omitempty"`
	Refusal   cellwall.ErrorCode `json:"refusal,omitempty"`
	WallMS    float64            `json:"wall_ms"`
	Artifacts int                `json:"artifacts"`
}

// sessionEnded tells of a session that was put away.
func sessionEnded(bus *notify.Bus) func(who cellwall.Identity, id, why string) {
	return func(who cellwall.Identity, id, why string) {
		data, err := json.Marshal(map[string]string{"session_id": id, "why": why})
		if err == nil { // texts always can be
			bus.Tell(cellwall.Happening{Tenant: who.Tenant, Kind: "session.ended", Data: data})
		}
	}
}

// keptWebhooks are the webhooks of the store, checked by the room that calls them.
type keptWebhooks struct {
	*store.Store
	allowPrivate bool
}

var _ api.Webhooks = keptWebhooks{}

// Make keeps a webhook with a new secret.
func (k keptWebhooks) Make(ctx context.Context, tenant, url string, kinds []string) (cellwall.Webhook, error) {
	if err := notify.CheckURL(url, k.allowPrivate); err != nil {
		return cellwall.Webhook{}, err
	}
	w := cellwall.Webhook{
		ID: cellwall.NewID(cellwall.PrefixWebhook), Tenant: tenant, URL: url, Secret: notify.NewSecret(), Kinds: kinds,
		State: cellwall.WebhookActive, At: time.Now().UTC(),
	}
	return w, k.SaveWebhook(ctx, w)
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
func (k keptAlerts) MakeAlert(ctx context.Context, tenant string, raw json.RawMessage) (cellwall.AlertRule, error) {
	if _, err := notify.ReadRule(raw, k.operator(tenant)); err != nil {
		return cellwall.AlertRule{}, err
	}
	rule := cellwall.AlertRule{ID: cellwall.NewID(cellwall.PrefixAlert), Tenant: tenant, Rule: raw, At: time.Now().UTC()}
	if err := k.kept.SaveAlert(ctx, rule); err != nil {
		return cellwall.AlertRule{}, err
	}
	return rule, k.bus.Reload(ctx)
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
	o.Events, o.Tell, o.Background = s.bus, s.bus.Tell, s.kept.Store
	o.Webhooks = keptWebhooks{s.kept.Store, s.settings.Webhooks.AllowPrivate}
	o.Alerts = keptAlerts{s.kept.Store, s.bus, s.operates}
}

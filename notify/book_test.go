package notify

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// book is a Book in memory, for what needs no disk: package store is tested
// against a real one.
type book struct {
	mu         sync.Mutex
	events     []cellwall.Happening
	hooks      []cellwall.Webhook
	deliveries []cellwall.Delivery
	rules      []cellwall.AlertRule
	broken     bool
}

func (b *book) AppendEvent(_ context.Context, h cellwall.Happening) (cellwall.Happening, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		return h, errors.New("the disk is full")
	}
	h.Seq = 1
	for _, e := range b.events {
		if e.Tenant == h.Tenant {
			h.Seq = e.Seq + 1
		}
	}
	b.events = append(b.events, h)
	for _, w := range b.hooks {
		if w.Tenant == h.Tenant && w.State == cellwall.WebhookActive && (w.Kinds == nil || slices.Contains(w.Kinds, h.Kind)) {
			b.deliveries = append(b.deliveries, cellwall.Delivery{Tenant: h.Tenant, Webhook: w.ID, Event: h.Seq, State: cellwall.DeliveryWaiting})
		}
	}
	return h, nil
}

func (b *book) Events(_ context.Context, tenant string, after uint64, n int) (list []cellwall.Happening, _ error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e.Tenant == tenant && e.Seq > after && len(list) < n {
			list = append(list, e)
		}
	}
	return list, nil
}

func (b *book) Due(_ context.Context, now time.Time, n int) (list []cellwall.DueDelivery, _ error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.deliveries {
		d := &b.deliveries[i]
		if d.State != cellwall.DeliveryWaiting || d.NextAt.After(now) || len(list) == n {
			continue
		}
		w := slices.IndexFunc(b.hooks, func(w cellwall.Webhook) bool { return w.ID == d.Webhook })
		e := slices.IndexFunc(b.events, func(e cellwall.Happening) bool { return e.Tenant == d.Tenant && e.Seq == d.Event })
		list = append(list, cellwall.DueDelivery{Delivery: *d, Webhook: b.hooks[w], Happening: b.events[e]})
		d.NextAt = now.Add(time.Minute)
	}
	return list, nil
}

func (b *book) Tried(_ context.Context, tried cellwall.Delivery) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, d := range b.deliveries {
		if d.Tenant == tried.Tenant && d.Webhook == tried.Webhook && d.Event == tried.Event {
			b.deliveries[i] = tried
		}
	}
	return nil
}

func (b *book) PauseWebhook(_ context.Context, tenant, id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, w := range b.hooks {
		if w.Tenant == tenant && w.ID == id {
			b.hooks[i].State = cellwall.WebhookPaused
		}
	}
	return nil
}

func (b *book) Alerts(_ context.Context, tenant string) (list []cellwall.AlertRule, _ error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.rules {
		if tenant == "" || r.Tenant == tenant {
			list = append(list, r)
		}
	}
	return list, nil
}

func (b *book) NoteAlert(_ context.Context, rule cellwall.AlertRule) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, r := range b.rules {
		if r.ID == rule.ID {
			b.rules[i].State = rule.State
		}
	}
	return nil
}

func (b *book) seen() (d []cellwall.Delivery, e []cellwall.Happening) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.deliveries), slices.Clone(b.events)
}

// open opens a bus on a book; it is closed with the test.
func open(t *testing.T, o Options) *Bus {
	t.Helper()
	b, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

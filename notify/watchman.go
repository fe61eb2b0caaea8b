package notify

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cellwall/cellwall"
)

// reload is how often rules are read that another process may have changed.
const reload = 10 * time.Second

// Count has the alert rules count a verdict.
func (b *Bus) Count(v Verdict) { b.alerts.count(v) }

// Alerts lists a tenant's rules with their states as they are now.
func (b *Bus) Alerts(ctx context.Context, tenant string) ([]cellwall.AlertRule, error) {
	list, err := b.opts.Book.Alerts(ctx, tenant)
	if err != nil {
		return nil, err
	}
	b.alerts.mu.Lock()
	defer b.alerts.mu.Unlock()
	for i := range list {
		if w := b.alerts.rules[list[i].ID]; w != nil {
			if list[i].State, err = json.Marshal(w.state); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// Reload has rules that were just changed count from now on.
func (b *Bus) Reload(ctx context.Context) error { return b.alerts.load(ctx) }

// run looks after rules while nothing ends: the queue, alerts that may be cleared,
// states that are to be kept, rules of other processes.
func (a *alerts) run(ctx context.Context) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	loaded := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-second.C:
		}
		a.tick(time.Now())
		a.keep(ctx)
		if time.Since(loaded) >= reload {
			loaded = time.Now()
			if err := a.load(ctx); err != nil && ctx.Err() == nil {
				a.opts.Logger.Error("reload alert rules", "error", err)
			}
		}
	}
}

// tick looks at every rule once.
func (a *alerts) tick(now time.Time) {
	waiting, wait := 0, time.Duration(0)
	if a.opts.Queue != nil {
		waiting, wait = a.opts.Queue()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range a.rules {
		switch s := w.seen.at(now); w.rule.Measure {
		case MeasureQueueWaiting:
			s.hits = max(s.hits, float64(waiting))
		case MeasureQueueWait:
			s.hits = max(s.hits, float64(wait.Milliseconds()))
		}
		a.look(w, now)
	}
}

// keep writes the states that changed since they were kept.
func (a *alerts) keep(ctx context.Context) {
	a.mu.Lock()
	var changed []cellwall.AlertRule
	for _, w := range a.rules {
		raw, err := json.Marshal(w.state)
		if err != nil || string(raw) == string(w.kept.State) || w.state == (State{}) {
			continue
		}
		w.kept.State = raw
		changed = append(changed, w.kept)
	}
	a.mu.Unlock()
	for _, rule := range changed {
		if err := a.opts.Book.NoteAlert(ctx, rule); err != nil && ctx.Err() == nil {
			a.opts.Logger.Error("keep alert", "alert", rule.ID, "error", err)
		}
	}
}

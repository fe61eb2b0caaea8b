package main

import (
	"context"
	"errors"
	"time"

	"github.com/cellwall/cellwall/store"
)

// How often what is old or unused is looked for, in the store and in the log.
const (
	housekeepEvery = 10 * time.Minute
	pruneEvery     = 24 * time.Hour
)

// usageKeep is how long rows of usage are kept: two years of bills.
const usageKeep = 2 * 366 * 24 * time.Hour

// resultKeep is how long an execution can be asked for where no retention is set. Its
// record stays as long as records do, its artifacts for ever.
const resultKeep = 30 * 24 * time.Hour

// startHousekeeping removes what is old or unused, now and then, until the service
// ends. While there is a lockdown everything is evidence.
func (s *service) startHousekeeping(ctx context.Context) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	keep := store.Retention{
		Executions: s.settings.Defaults.Retention, Results: resultKeep, Entries: s.settings.AuditKeep, Usage: usageKeep,
		Tenant: func(tenant string) time.Duration { return s.kept.terms(tenant).Retention },
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for pruned := (time.Time{}); ; {
			if s.gate.lockedOut() == nil {
				if now := time.Now(); now.Sub(pruned) >= pruneEvery {
					s.prune(now)
					pruned = now
				}
				if err := s.kept.tidy(ctx, keep); err != nil && ctx.Err() == nil {
					s.log.Error("tidy the store", "error", err)
				}
			}
			if !pauseFor(ctx, housekeepEvery) {
				return
			}
		}
	}()
	s.undo.Add(func() error { cancel(); <-done; return nil })
	return nil
}

// tidy removes rows that are older than they are to be kept, then the contents
// that nobody refers to any more.
func (k *kept) tidy(ctx context.Context, keep store.Retention) error {
	_, err := k.Retire(ctx, keep)
	_, collected := k.Collect(ctx)
	_, swept := k.Sweep(ctx)
	return errors.Join(err, collected, swept)
}

// prune lets records go that are older than they are to be kept; the chain says,
// signed, where it begins then.
func (s *service) prune(now time.Time) {
	days, err := s.records.Prune(now, s.settings.AuditKeep, s.key)
	if err != nil {
		s.log.Error("let old records go", "error", err)
	}
	if len(days) > 0 {
		s.log.Info("let old records go", "days", len(days), "from", days[0], "through", days[len(days)-1])
	}
}

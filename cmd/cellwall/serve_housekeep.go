package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cellwall/cellwall/store"
)

// housekeep removes what is old or unused, now and then, until it is stopped.
func (k *kept) housekeep(set *serveSettings, log *slog.Logger) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(housekeepEvery)
		defer tick.Stop()
		for {
			if err := k.tidy(ctx, set); err != nil && ctx.Err() == nil {
				log.Error("tidy the store", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() error {
		cancel()
		<-done
		return nil
	}
}

// usageKeep is how long rows of usage are kept: two years of bills.
const usageKeep = 2 * 366 * 24 * time.Hour

func (k *kept) tidy(ctx context.Context, set *serveSettings) error {
	_, err := k.Retire(ctx, store.Retention{Executions: set.Defaults.Retention, Entries: set.AuditKeep, Usage: usageKeep})
	_, collected := k.Collect(ctx)
	_, swept := k.Sweep(ctx)
	return errors.Join(err, collected, swept)
}

package main

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/session"
)

// countBetween has what sessions use beside their cells on their tenants' bills and
// in the metrics.
func (s *service) countBetween(o *session.Options) {
	o.Between = func(who cellwall.Identity, spent time.Duration) {
		s.desk.Between(who, spent)
		s.metrics.Between(who.Tenant, spent)
	}
}

// measureEvery is how late a bill is, and how much of it a service that is killed
// takes with it, where a session stands idle and what it left running does not.
const measureEvery = time.Minute

// startMeasuring looks at the sessions until the service ends.
func (s *service) startMeasuring(ctx context.Context) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for pauseFor(ctx, measureEvery) {
			s.house.sessions.Measure()
		}
	}()
	s.undo.Add(func() error { cancel(); <-done; return nil })
	return nil
}

// milliseconds are those of a duration, as JSON has them: to the microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// betweenMS is what ran beside a session's cells; nil = nobody counts it here.
func betweenMS(spent session.Spent) *float64 {
	if !spent.Measured {
		return nil
	}
	ms := milliseconds(spent.Between)
	return &ms
}

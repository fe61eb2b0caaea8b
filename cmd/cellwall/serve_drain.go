package main

import (
	"context"
	"errors"
	"time"
)

// cancelTime is what executions have to be killed and recorded in.
const cancelTime = 10 * time.Second

// drain ends the work. New work is refused from now on while reading goes on;
// what runs may end by itself within the deadline, and is cancelled then. Every
// execution has its record before drain returns.
func (s *service) drain(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	began := time.Now()
	s.log.Info("draining", "deadline", s.settings.Drain)
	empty := s.gate.Drain()
	if !within(empty, s.settings.Drain) {
		s.log.Warn("cancel what still runs", "after", time.Since(began))
	}
	s.listeners.cancel() // streams that would stand open, too
	if !within(empty, cancelTime) {
		s.log.Error("executions did not end", "after", time.Since(began))
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := s.listeners.server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("end connections", "error", err)
	}
	s.log.Info("drained", "took", time.Since(began))
}

// within reports whether done was closed before so much time had passed.
func within(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

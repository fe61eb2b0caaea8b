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
	done := s.worked(ctx)
	if !within(done, s.settings.Drain) {
		s.log.Warn("cancel what still runs", "after", time.Since(began))
	}
	s.closeMCP()
	s.listeners.cancel() // streams that would stand open, too
	if err := s.closeAPI(); err != nil {
		s.log.Error("end the API", "error", err)
	}
	if !within(done, cancelTime) {
		s.log.Error("executions did not end", "after", time.Since(began))
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := s.listeners.server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("end connections", "error", err)
	}
	s.log.Info("drained", "took", time.Since(began))
}

// worked closes the gate and returns what is closed when no work goes on, in a
// call or behind one.
func (s *service) worked(ctx context.Context) <-chan struct{} {
	empty, done := s.gate.Drain(), make(chan struct{})
	go func() {
		defer close(done)
		<-empty
		_ = s.api.Wait(ctx) // ctx has no end
	}()
	return done
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

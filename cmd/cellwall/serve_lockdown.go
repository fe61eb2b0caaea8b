package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/session"
)

// lockdownEvery is how often a service looks whether it is locked down.
const lockdownEvery = 200 * time.Millisecond

// watchLockdown follows the file of the state directory: whoever wrote it.
func (s *service) watchLockdown(ctx context.Context) error {
	s.followLockdown(ctx)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(lockdownEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.followLockdown(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	s.undo.Add(func() error { cancel(); <-done; return nil })
	return nil
}

// followLockdown does what the file says, when that is something new.
func (s *service) followLockdown(ctx context.Context) {
	s.lockdown.Lock()
	defer s.lockdown.Unlock()
	l := s.config.lockedDown()
	switch {
	case l != nil && s.locked == nil:
		s.gate.Lock()
		s.log.Error("locked down", "by", l.By, "why", l.Why, "evidence", l.Report)
		s.freeze(ctx)
	case l == nil && s.locked != nil:
		if err := s.config.readBlocks(&s.blocks); err != nil {
			s.log.Error("stay locked down", "error", err)
			return
		}
		s.gate.Unlock()
		s.log.Warn("unlocked")
	}
	s.locked = l
}

// freeze pauses every session. The cells that ran were cancelled: a session may
// need a moment until it can be frozen.
func (s *service) freeze(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, one := range s.house.sessions.All() {
		wg.Go(func() {
			err := pause(ctx, one)
			if err == nil {
				return
			}
			s.log.Error("end a session that cannot be frozen", "session", one.ID(), "error", err)
			if err := one.Close(); err != nil {
				s.log.Error("end session", "session", one.ID(), "error", err)
			}
		})
	}
}

// freezeTime is how long a cancelled cell may take to end.
const freezeTime = 5 * time.Second

func pause(ctx context.Context, one *session.Session) error {
	ctx, cancel := context.WithTimeout(ctx, freezeTime)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := one.Pause(ctx)
		if err == nil || cellwall.CodeOf(err) != cellwall.CodeConflict {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("its cell does not end: %w", err)
		}
	}
}

// cutWork is the controller, whose executions a lockdown cancels.
type cutWork struct {
	*controller.Controller
	gate *gate
}

// Stream is that of the controller.
func (w cutWork) Stream(ctx context.Context, req cellwall.Request, sink cellwall.Sink) (*cellwall.Result, error) {
	ctx, done := w.gate.within(ctx)
	defer done()
	return w.Controller.Stream(ctx, req, sink)
}

// Describe is that of the controller.
func (w cutWork) Describe(ctx context.Context, req cellwall.Request) (*cellwall.Result, error) {
	ctx, done := w.gate.within(ctx)
	defer done()
	return w.Controller.Describe(ctx, req)
}

// openSession is how the room of sessions has one opened.
type openSession = func(context.Context, cellwall.Request, string, cellwall.Sink) (session.Live, *cellwall.Result, error)

// cutSessions has a lockdown cancel the cells of sessions.
func (s *service) cutSessions(open openSession) openSession {
	return func(ctx context.Context, req cellwall.Request, id string, sink cellwall.Sink) (session.Live, *cellwall.Result, error) {
		ctx, done := s.gate.within(ctx)
		defer done()
		live, result, err := open(ctx, req, id, sink)
		if live == nil {
			return nil, result, err
		}
		return cutLive{live, s.gate}, result, err
	}
}

type cutLive struct {
	session.Live
	gate *gate
}

// Cell is that of the session.
func (l cutLive) Cell(ctx context.Context, req cellwall.Request, count int, sink cellwall.Sink) (*cellwall.Result, error) {
	ctx, done := l.gate.within(ctx)
	defer done()
	return l.Live.Cell(ctx, req, count, sink)
}

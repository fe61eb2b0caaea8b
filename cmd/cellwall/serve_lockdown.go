package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
		s.stopWork(ctx, l)
	case l == nil && s.locked != nil:
		if err := s.followBlocks(); err != nil {
			s.log.Error("stay locked down", "error", err)
			return
		}
		s.gate.Unlock()
		s.house.pool.Release()
		s.log.Warn("unlocked")
	}
	if err := s.followBlocks(); err != nil {
		s.log.Error("keep the blocks as they were", "error", err)
	}
	if l != nil || s.locked != nil || !s.looked {
		s.tellIncidents(ctx)
	}
	s.locked, s.looked = l, true
	s.sayLockdown()
}

// stopWork begins nothing more, ends what runs, freezes the sessions, and writes
// beside the evidence what was alive.
func (s *service) stopWork(ctx context.Context, l *lockdown) {
	s.gate.Lock()
	s.log.Error("locked down", "by", l.By, "why", l.Why, "evidence", l.Report)
	if err := s.house.pool.Hold(); err != nil {
		s.log.Error("empty the pool", "error", err)
	}
	frozen := s.freeze(ctx)
	s.awaitStill(ctx)
	if l.Report == "" || len(frozen) == 0 {
		return
	}
	if err := writeEvidence(l.Report, liveFile, frozen); err != nil {
		s.log.Error("keep evidence", "error", err)
	}
}

// awaitStill waits for the end, and so for the records, of what was cancelled. What
// takes longer is not waited for: whoever wants to know sees when nothing runs.
func (s *service) awaitStill(ctx context.Context) {
	for end := time.Now().Add(freezeTime); !s.gate.still(); {
		if time.Now().After(end) || !pauseFor(ctx, 5*time.Millisecond) {
			s.log.Error("what was cancelled has not ended yet")
			return
		}
	}
}

// followBlocks puts the blocks of the file in force when it has changed.
func (s *service) followBlocks() error {
	info, err := os.Stat(s.config.blocksFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if s.looked && (info == nil && s.blocksSeen == nil || info != nil && s.blocksSeen != nil && os.SameFile(info, s.blocksSeen) &&
		info.ModTime().Equal(s.blocksSeen.ModTime()) && info.Size() == s.blocksSeen.Size()) {
		return nil
	}
	if err := s.config.readBlocks(&s.blocks); err != nil {
		return err
	}
	s.blocksSeen = info
	return nil
}

// liveFile holds what was alive when a lockdown began.
const liveFile = "live.json"

// metSession is a session that a lockdown met.
type metSession struct {
	ID      string    `json:"session_id"`
	Tenant  string    `json:"tenant"`
	Subject string    `json:"subject,omitempty"`
	Began   time.Time `json:"began"`
	Cells   int       `json:"cells"`
	State   string    `json:"state"`  // when it was met
	Frozen  bool      `json:"frozen"` // else it could not be, and was ended
}

// freeze pauses every session. The cells that ran were cancelled: a session may
// need a moment until it can be frozen.
func (s *service) freeze(ctx context.Context) []metSession {
	all := s.house.sessions.All()
	met := make([]metSession, len(all))
	var wg sync.WaitGroup
	for i, one := range all {
		info := one.Info()
		met[i] = metSession{
			ID: info.ID, Tenant: info.Identity.Tenant, Subject: info.Identity.Subject, Began: info.Began.UTC(), Cells: info.Cells, State: string(info.State),
		}
		wg.Go(func() {
			err := pause(ctx, one)
			if err == nil {
				met[i].Frozen = true
				return
			}
			s.log.Error("end a session that cannot be frozen", "session", one.ID(), "error", err)
			if err := one.Close(); err != nil {
				s.log.Error("end session", "session", one.ID(), "error", err)
			}
		})
	}
	wg.Wait()
	return met
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
	if err := w.gate.lockedOut(); err != nil { // work that was left behind waits
		return nil, err
	}
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

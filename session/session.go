package session

import (
	"context"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Session is one interpreter that lives on between cells. It is safe for
// concurrent use: who calls waits for the turn.
type Session struct {
	id       string
	all      *Sessions
	req      cellwall.Request // that opened it, without code and open files
	live     Live
	began    time.Time
	life     Life
	boundary cellwall.Boundary // as it was when it began
	meter    Meter             // nil = no budgets
	turns    *turns
	ctx      context.Context // ends with the session
	quit     context.CancelCauseFunc
	gone     chan struct{} // closed when the sandbox is given up

	between between

	mu       sync.Mutex
	idle     *time.Timer
	total    *time.Timer
	used     time.Time // end of the latest call
	ending   ending
	paused   bool
	count    int           // number of the latest cell
	cells    time.Duration // of processor time that all of them have used
	history  history
	branches branches
}

func newSession(all *Sessions, id string, req cellwall.Request, life Life, live Live, begun *cellwall.Result) *Session {
	o := all.opts
	req.Datasets, req.Code = nil, ""
	req.Limits = req.Limits.WithDefaults()
	s := &Session{
		id: id, all: all, req: req, live: live, began: time.Now(), life: life, turns: newTurns(o.Queue), gone: make(chan struct{}),
		history: history{most: o.History, room: o.HistoryBytes}, branches: newBranches(),
	}
	s.used = s.began
	if begun != nil {
		s.history.first, s.boundary, s.cells = begun.ID, begun.Boundary, cpuOf(begun)
	}
	s.ctx, s.quit = context.WithCancelCause(context.Background())
	if o.Meter != nil {
		s.meter = o.Meter(req.Identity)
	}
	s.mu.Lock() // a timer may fire before both are set
	defer s.mu.Unlock()
	s.idle = time.AfterFunc(life.Idle, s.expire)
	s.total = time.AfterFunc(life.Total, func() { s.end(endTotal) })
	return s
}

// Meter counts what the session uses; nil = there are no budgets. Who works for it
// beside its cells notes that there.
func (s *Session) Meter() Meter { return s.meter }

// ID names the session.
func (s *Session) ID() string { return s.id }

// Close ends the session, cancels the cell that runs, and returns when the
// sandbox is given up.
func (s *Session) Close() error {
	s.end(endClosed)
	<-s.gone
	return nil
}

// enter waits for a turn in a session that is awake. leave ends the turn.
func (s *Session) enter(ctx context.Context, c call) (leave func(), err error) {
	if err := s.turns.enter(ctx, c); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle.Stop()
	return func() {
		empty := s.turns.leave(c)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.used = time.Now()
		if empty && !s.paused && s.ending == "" {
			s.idle.Reset(s.life.Idle)
		}
	}, nil
}

// awake fails for a session that is paused.
func (s *Session) awake(op string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paused {
		return conflict(op, errPaused, "resume it first")
	}
	return nil
}

// work is enter for what needs the interpreter, with a context that ends with
// the session too, and for a cell with the rollback that drops it.
func (s *Session) work(ctx context.Context, c call) (inside context.Context, leave func(), err error) {
	inside, cancel := context.WithCancelCause(ctx)
	if c.cell {
		c.abort = cancel
	}
	exit, err := s.enter(ctx, c)
	if err == nil {
		if err = s.awake(c.op); err != nil {
			exit()
		}
	}
	if err != nil {
		cancel(nil)
		return nil, nil, err
	}
	forget := context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })
	return inside, func() {
		forget()
		cancel(nil)
		exit()
	}, nil
}

package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// session is a sandbox whose interpreter lives from cell to cell. Behind each
// answer a snapshot of it is taken, a process that waits; when a cell is killed,
// the newest snapshot forks the next interpreter.
type session struct {
	*sandbox
	cages  *cages // of the snapshots; nil where no checkpoint can be taken
	warden int    // as this process counts: the parent of all

	turn    sync.Mutex    // held by the one call under way
	settled chan struct{} // closed when nothing goes on behind the last answer

	// Of who has the turn, and of what goes on behind its answer.
	live    *member
	tree    tree
	pace    pace
	touched int64  // faults of the live interpreter when its last checkpoint was taken
	bare    int64  // bytes that the first interpreter had before anybody's code ran
	count   int    // cells since the beginning, those that left nothing behind excepted
	ran     string // the latest execution whose state lives
	begun   bool   // the first state stands
	asked   uint64
	speech  speech
	notices []cellwall.Notice // for the next cell

	between between

	mu      sync.Mutex // guards the rest
	current *cell      // that runs
	early   string     // execution of a cell that was interrupted before it was sent
	over    error      // why the session has ended
	paused  bool
}

// openSession makes a session of a sandbox that has said hello.
func openSession(s *sandbox) (*session, error) {
	x := &session{sandbox: s, settled: make(chan struct{})}
	close(x.settled)
	err := x.hire()
	if err == nil {
		x.cageSnapshots()
	}
	if err == nil {
		err = x.openFiles()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open session: %w", err), x.Close())
	}
	return x, nil
}

// hire holds the first interpreter: only our own code has run in it.
func (s *session) hire() (err error) {
	if s.live, s.warden, err = s.stem.meet(s.channel, s.speaker, 0, nil); err != nil {
		return err
	}
	s.bare, err = anonymous(s.live.pid)
	return err
}

// cageSnapshots has snapshots wait where they are out of the reach of the memory
// limit that the cells have: in groups that are no children of theirs, or others
// than cells would be killed when it is met.
func (s *session) cageSnapshots() {
	h := s.backend.hierarchy
	if s.group == nil || !h.Controller(cgroup.Memory).OK || !h.Controller(cgroup.PIDs).OK {
		s.notice(checkpointUnavailable)
		return
	}
	s.cages = &cages{make: s.backend.groups.New, stem: s.group.Name() + "-s", clock: newCageClock()}
	s.gate.keepFrom(s.cages)
}

// Run implements cellwall.Sandbox: a session has cells.
func (s *session) Run(context.Context, cellwall.Code, cellwall.Sink) (cellwall.End, error) {
	return cellwall.End{}, &cellwall.Error{
		Code: cellwall.CodeConflict, Op: "run code", Err: errors.New("this sandbox is a session"), Hint: "send a cell",
	}
}

// Bind implements cellwall.Sandbox. A session keeps the budget of copies that it
// was opened with.
func (s *session) Bind(ctx context.Context, claim cellwall.Claim) error {
	l := claim.Limits.WithDefaults()
	if l.CheckpointBytes != s.limits.CheckpointBytes || l.Checkpoints > s.limits.Checkpoints {
		return &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "bind sandbox", Err: errors.New("it was opened with other bounds of checkpoints"),
		}
	}
	return s.sandbox.Bind(ctx, claim)
}

// enter is wait for what a paused session does not do.
func (s *session) enter(ctx context.Context, op string) (leave func(), err error) {
	leave, err = s.wait(ctx, op)
	if err != nil {
		return nil, err
	}
	if err := s.awake(op); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// wait takes the turn once what goes on behind the last answer is done. The
// caller gives it back by leave.
func (s *session) wait(ctx context.Context, op string) (leave func(), err error) {
	if !s.turn.TryLock() {
		return nil, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: op, Err: errors.New("another call of this session is under way"),
			Hint: "wait for its end, or interrupt it",
		}
	}
	select {
	case <-s.settled:
	case <-ctx.Done():
		s.turn.Unlock()
		return nil, ctx.Err()
	}
	if err := s.ended(op); err != nil {
		s.turn.Unlock()
		return nil, err
	}
	return s.turn.Unlock, nil
}

// ended is the answer to every call after the end.
func (s *session) ended(op string) error {
	if !s.sandbox.Alive() {
		s.finishWith(errors.New("its processes have ended"))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == nil {
		return nil
	}
	return &cellwall.Error{
		Code: cellwall.CodeConflict, Op: op, Err: fmt.Errorf("%w: %w", cellwall.ErrSessionOver, s.over),
		Hint: "open another session",
	}
}

// finishWith says why the session is over; the first reason counts.
func (s *session) finishWith(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == nil {
		s.over = why
	}
}

// Workspace implements cellwall.Interpreter.
func (s *session) Workspace() (fs.FS, error) {
	const op = "open workspace"
	if err := errors.Join(s.ended(op), s.awake(op)); err != nil {
		return nil, err
	}
	return s.workspace(), nil
}

// Harvest implements cellwall.Sandbox: it ends the session.
func (s *session) Harvest(context.Context) (fs.FS, error) {
	s.finishWith(errors.New("its files were harvested"))
	if err := s.quiet(); err != nil {
		return nil, err
	}
	return s.workspace(), nil
}

// Close implements cellwall.Sandbox. A cell that runs is killed.
func (s *session) Close() error {
	var err error
	s.closed.Do(func() { err = s.dissolve() })
	return err
}

func (s *session) dissolve() error {
	s.finishWith(errors.New("it was closed"))
	err := s.end()
	s.turn.Lock() // whoever had it finds everybody dead
	defer s.turn.Unlock()
	<-s.settled
	s.lastWord()
	for _, n := range s.tree.nodes {
		n.snapshot.release()
	}
	if s.live != nil {
		s.live.release()
	}
	if s.files != nil {
		err = errors.Join(err, s.files.Close())
	}
	err = errors.Join(err, s.release())
	if s.cages != nil {
		err = errors.Join(err, s.cages.close(s.backend.endTimeout))
	}
	return err
}

// settleLater runs work behind the answer; the next call waits for it.
func (s *session) settleLater(work func()) {
	settled := make(chan struct{})
	s.settled = settled
	go func() {
		defer close(settled)
		work()
		if s.group != nil { // a thousand idle sessions share this process's descriptors
			s.group.Rest()
		}
	}()
}

package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cellwall/cellwall"
)

// call is how somebody wants to come in.
type call struct {
	op    string                  // "verb object", for errors
	cell  bool                    // a cell
	runs  string                  // execution of a cell
	rush  bool                    // fails rather than wait behind a cell
	drop  bool                    // turns away those who wait, aborts who is inside, and comes next
	abort context.CancelCauseFunc // of a cell
}

// turns lets one caller in at a time, in the order in which they came.
type turns struct {
	room int // who may wait at once

	mu      sync.Mutex
	taken   bool
	inside  call // when taken
	cells   int  // of those who are inside or wait
	waiting []*waiter
	over    func(op string) error // set once, at the end
	drained chan struct{}         // closed when it is over and nobody is inside
}

// waiter waits for its turn, or to hear that there will be none.
type waiter struct {
	call call
	turn chan error // holds one
}

func newTurns(room int) *turns { return &turns{room: room, drained: make(chan struct{})} }

// enter waits for the caller's turn; who came in owes leave.
func (t *turns) enter(ctx context.Context, c call) error {
	w, err := t.queue(c)
	if w == nil {
		return err
	}
	select {
	case err := <-w.turn:
		return err
	case <-ctx.Done():
	}
	if !t.quit(w) { // its turn came at the same moment
		if err := <-w.turn; err != nil {
			return err
		}
		t.leave(c)
	}
	return &cellwall.Error{
		Code: cellwall.CodeBusy, Op: c.op, Err: context.Cause(ctx), Hint: "it did not begin: others were before it",
	}
}

// queue lets the caller in at once when nobody is inside, and else has it wait.
func (t *turns) queue(c call) (*waiter, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over != nil:
		return nil, t.over(c.op)
	case c.rush && !c.drop && t.cells > 0:
		return nil, conflict(c.op, errors.New("a cell runs"), "wait for its end, or interrupt it")
	case t.taken && !c.drop && len(t.waiting) >= t.room:
		return nil, &cellwall.Error{
			Code: cellwall.CodeBusy, Op: c.op, Err: fmt.Errorf("%d wait for this session already", len(t.waiting)),
			Hint: "one cell runs at a time: send the next one when an answer has come",
		}
	}
	if c.drop {
		t.turnAway(func(op string) error { return conflict(op, errDropped, "send it again if it is still wanted") })
		if t.inside.abort != nil {
			t.inside.abort(errDropped)
		}
	}
	t.count(c, 1)
	if !t.taken {
		t.taken, t.inside = true, c
		return nil, nil
	}
	w := &waiter{call: c, turn: make(chan error, 1)}
	t.waiting = append(t.waiting, w)
	return w, nil
}

// quit takes w out of the queue; false when it heard something already.
func (t *turns) quit(w *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.Index(t.waiting, w)
	if at < 0 {
		return false
	}
	t.waiting = slices.Delete(t.waiting, at, at+1)
	t.count(w.call, -1)
	return true
}

// leave lets the next one in, and reports whether nobody is left.
func (t *turns) leave(c call) (empty bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count(c, -1)
	if len(t.waiting) > 0 {
		next := t.waiting[0]
		t.waiting = slices.Delete(t.waiting, 0, 1)
		t.inside = next.call
		next.turn <- nil
		return false
	}
	t.taken, t.inside = false, call{}
	if t.over != nil {
		close(t.drained)
	}
	return true
}

// end turns everybody away who waits or comes later; false when it had ended
// before. With idle it does so only when nobody is there.
func (t *turns) end(why func(op string) error, idle bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over != nil || idle && t.taken {
		return false
	}
	t.over = why
	t.turnAway(why)
	if !t.taken {
		close(t.drained)
	}
	return true
}

// turnAway tells everybody who waits that there will be no turn.
func (t *turns) turnAway(why func(op string) error) {
	for _, w := range t.waiting {
		t.count(w.call, -1)
		w.turn <- why(w.call.op)
	}
	t.waiting = nil
}

// busy reports whether a cell runs, and how many callers wait.
func (t *turns) busy() (cell bool, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cells > 0, len(t.waiting)
}

// running is the execution of the cell that is inside, or comes next; "" when there
// is none.
func (t *turns) running() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken && t.inside.cell {
		return t.inside.runs
	}
	for _, w := range t.waiting {
		if w.call.cell {
			return w.call.runs
		}
	}
	return ""
}

func (t *turns) count(c call, by int) {
	if c.cell {
		t.cells += by
	}
}

var errDropped = errors.New("a rollback came before it")

func conflict(op string, cause error, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeConflict, Op: op, Err: cause, Hint: hint}
}

package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// errCancelled is why work ends that its caller wants no more.
var errCancelled = fmt.Errorf("%w: its caller has cancelled it", context.Canceled)

// cancelled reports whether a call has cancelled the work of ctx.
func cancelled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errCancelled) }

// underWay are the executions that this server does apart from their calls, whether
// they wait or run.
type underWay struct {
	mu  sync.Mutex
	all map[executionOf]*oneUnderWay
}

type executionOf struct{ tenant, id string }

type oneUnderWay struct {
	cancel context.CancelCauseFunc
	ended  chan struct{}
}

func newUnderWay() *underWay { return &underWay{all: map[executionOf]*oneUnderWay{}} }

// begin makes an execution known until end is called.
func (u *underWay) begin(ctx context.Context, which executionOf) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	one := &oneUnderWay{cancel, make(chan struct{})}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.all[which] = one
	return ctx, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.all[which] == one {
			delete(u.all, which)
		}
		cancel(nil)
		close(one.ended)
	}
}

// cancel cancels one; nil = it is not under way here.
func (u *underWay) cancel(which executionOf) (ended <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	one := u.all[which]
	if one == nil {
		return nil
	}
	one.cancel(errCancelled)
	return one.ended
}

// detachExecution is detach of work that can be cancelled by its id.
func (s *Server) detachExecution(ctx context.Context, which executionOf, do func(context.Context)) {
	ctx, end := s.underWay.begin(ctx, which)
	s.detach(ctx, func(ctx context.Context) {
		defer end()
		do(ctx)
	})
}

func documentCancel(s *Server) func(*huma.Operation) {
	return func(op *huma.Operation) {
		pathID(op, cellwall.PrefixExecution)
		op.Description = "Of work that nobody waits for, or that is streamed: what waits does not begin, and what runs ends, both with status `cancelled`. " +
			"One that has ended otherwise is a conflict."
		responds(op, http.StatusOK, "It is cancelled", "application/json", schemaOf[executionView](s))
		responds(op, http.StatusAccepted, "It is being cancelled: ask for it again", "application/json", schemaOf[executionView](s))
	}
}

// cancelPatience is how long a cancelled execution is waited for.
const cancelPatience = 5 * time.Second

// cancelExecution ends an execution that waits or runs. One that it has ended already
// is answered in the same way: a client that heard nothing asks again.
func (s *Server) cancelExecution(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Executions == nil {
		return notThere("execution")
	}
	which := executionOf{callerOf(r.Context()).Tenant, r.PathValue("id")}
	ended := s.underWay.cancel(which)
	if ended == nil {
		var err error
		if ended, err = s.cancelKept(r, which); err != nil {
			return err
		}
	}
	select {
	case <-ended:
	case <-time.After(cancelPatience):
	case <-r.Context().Done():
	}
	k, give, err := s.execution(r)
	if err != nil {
		return err
	}
	defer give()
	switch {
	case k.State == cellwall.WorkDone && k.Status == cellwall.StatusCancelled:
		return writeJSON(w, http.StatusOK, viewExecution(k))
	case k.State == cellwall.WorkDone:
		return notCancelled("it has ended already: "+string(k.Status), "ask for its result: GET /v1/executions/{id}")
	case k.State == cellwall.WorkLost:
		return notCancelled("it ended with the service that ran it", "")
	}
	return writeJSON(w, http.StatusAccepted, viewExecution(k))
}

func notCancelled(why, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeConflict, Op: "cancel execution", Err: errors.New(why), Hint: hint}
}

// alreadyOver is the end of what has ended.
var alreadyOver = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// cancelKept cancels what is not under way here: what waits, for a person too, is ended
// here; what another service runs is that one's.
func (s *Server) cancelKept(r *http.Request, which executionOf) (ended <-chan struct{}, err error) {
	ctx := context.WithoutCancel(r.Context())
	k, give, err := s.execution(r)
	if err != nil {
		return nil, err
	}
	give()
	if s.opts.Background == nil {
		return alreadyOver, nil
	}
	switch k.State {
	case cellwall.WorkQueued:
		mine, err := s.opts.Background.Take(ctx, which.tenant, which.id)
		if mine && err == nil {
			s.settled(ctx, k, errCancelled)
		}
		return alreadyOver, err
	case cellwall.WorkWaiting:
		return s.withdraw(ctx, which)
	case cellwall.WorkRunning:
		return nil, notCancelled("another service runs it", "send this to the service that accepted it, or wait for its end")
	}
	return alreadyOver, nil
}

// withdraw ends the wait for a person: there is nothing to decide any more.
func (s *Server) withdraw(ctx context.Context, which executionOf) (ended <-chan struct{}, err error) {
	if s.opts.Approvals == nil {
		return nil, notCancelled("it waits for a person, and nobody decides here", "")
	}
	a, err := s.opts.Approvals.ApprovalOf(ctx, which.tenant, cellwall.ApprovalExecution, which.id)
	if err != nil {
		return nil, err
	}
	if err := mark(&a, func(was *asked) { was.Cancelled = true }); err != nil {
		return nil, err
	}
	a.State, a.Decided, a.DecidedAt, a.Call = cellwall.ApprovalRejected, callerOf(ctx), time.Now().UTC(), callID(ctx)
	a.Comment = "the execution was cancelled"
	if err := s.decided(ctx, a); err != nil {
		return nil, err
	}
	if ended = s.underWay.cancel(which); ended == nil {
		ended = alreadyOver
	}
	return ended, nil
}

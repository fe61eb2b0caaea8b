package main

import (
	"context"
	"errors"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/policy"
	"github.com/cellwall/cellwall/queue"
	"github.com/cellwall/cellwall/quota"
)

// admission is what a service asks before anything runs: what the tenant may
// have, then whose turn it is. Only the queue waits.
type admission struct {
	desk  *quota.Desk
	queue *queue.Queue
	// further narrow a request when the desk has, in their order.
	further []func(cellwall.Tenant, *cellwall.Request) error
	// room is how many bytes a tenant may keep yet, 0 = no bound; CodeTooLarge: none.
	// Nil = nothing is kept.
	room func(ctx context.Context, tenant string) (int64, error)
}

// Narrow fills and bounds what the request asks for.
func (a *admission) Narrow(req *cellwall.Request) error {
	if err := a.narrow(req); err != nil {
		return err
	}
	if len(a.further) == 0 {
		return nil
	}
	t, err := a.desk.Tenant(req.Identity.Tenant)
	if err != nil {
		return err
	}
	for _, narrow := range a.further {
		if err := narrow(t, req); err != nil {
			return err
		}
	}
	return nil
}

// narrow asks the desk. How many rows a program may read is for what a caller wrote:
// ours see them all, and have less of the rest where a tenant may not have as much.
func (a *admission) narrow(req *cellwall.Request) error {
	if !req.Own {
		return a.desk.Narrow(req)
	}
	req.Limits.Rows = 0
	if err := a.desk.NarrowOwn(req); err != nil {
		return err
	}
	req.Limits.Rows = cellwall.MaxLimits().Rows
	return nil
}

// Enter takes a place of the tenant and waits for a turn.
func (a *admission) Enter(ctx context.Context, req cellwall.Request) (controller.Turn, *cellwall.Stop, error) {
	if err := a.approved(req); err != nil {
		return controller.Turn{}, nil, err
	}
	room, err := a.roomFor(ctx, req)
	if err != nil {
		return controller.Turn{}, nil, err
	}
	left, stop, err := a.desk.Enter(req.Identity)
	if stop != nil || err != nil {
		return controller.Turn{}, stop, err
	}
	t, err := a.desk.Tenant(req.Identity.Tenant)
	if err == nil {
		var turn *queue.Turn
		if turn, err = a.queue.Enter(ctx, t.ID, t.Terms.Waiting); err == nil {
			return controller.Turn{Precedence: turn.Precedence, Room: room, Leave: func(r *cellwall.Result) {
				turn.Leave()
				if req.Prelude && r != nil && r.OK {
					r = nil // its cell is counted
				}
				left(r, req.TokenCost)
			}}, nil, nil
		}
	}
	left(nil, 0)
	if ctx.Err() == nil { // who went away was not refused
		a.desk.Refused(req.Identity)
	}
	return controller.Turn{}, nil, err
}

// roomFor refuses code whose Result could not be kept, before it runs. What is ours keeps
// little, and a dataset that is being described has its room.
func (a *admission) roomFor(ctx context.Context, req cellwall.Request) (int64, error) {
	if a.room == nil || req.Own || req.Code == "" {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, roomPatience)
	defer cancel()
	room, err := a.room(ctx, req.Identity.Tenant)
	if cellwall.CodeOf(err) == cellwall.CodeTooLarge {
		a.desk.Refused(req.Identity)
	}
	return room, err
}

// approved refuses code that a person has to look at first, by whatever way it came:
// who can wait asks for that before.
func (a *admission) approved(req cellwall.Request) error {
	if req.Approved || req.Own || req.Code == "" {
		return nil
	}
	t, err := a.desk.Tenant(req.Identity.Tenant)
	if err != nil || !t.Terms.Approval.Executions {
		return err
	}
	return &cellwall.Error{
		Code: cellwall.CodeForbidden, Op: "run code", Err: errors.New("a person has to approve it, and this way of asking cannot wait"),
		Hint: "use POST /v1/executions",
	}
}

// openQueue makes the line in front of the sandboxes.
func (s *service) openQueue(context.Context) error {
	set := s.settings
	s.queue = queue.New(queue.Options{Servers: set.Workers, Waiting: set.Waiting, Acceptable: set.AcceptableWait})
	return nil
}

// admission is the desk and the queue as the controller knows them.
func (s *service) admission() controller.Admission {
	return &admission{desk: s.desk, queue: s.queue, further: s.narrowing(), room: s.kept.left}
}

// narrowing are the rooms besides the desk that have a say in what a request may have.
func (s *service) narrowing() []func(cellwall.Tenant, *cellwall.Request) error {
	return []func(cellwall.Tenant, *cellwall.Request) error{
		func(_ cellwall.Tenant, req *cellwall.Request) error { // artifacts have room in the store
			ctx, cancel := context.WithTimeout(context.Background(), roomPatience)
			defer cancel()
			return s.kept.narrow(ctx, req)
		},
		narrowProfile,
		s.masks.narrow,
	}
}

// narrowProfile fills the profile, and refuses one that is less strict than the
// tenant's: default where its terms name none, off for an operator's. What
// POST /execute checks is its article's, whoever calls: the API's other routes
// do not know that profile.
func narrowProfile(t cellwall.Tenant, req *cellwall.Request) error {
	if req.Own {
		req.Profile = string(policy.Off)
		return nil
	}
	operators := t.Terms.Operator && t.Terms.Profile == ""
	if req.Profile == string(policy.Execute) || operators && req.Profile == "" {
		return nil
	}
	floor := policy.Profile(t.Terms.Profile)
	if operators {
		floor = policy.Off
	}
	chosen, err := policy.Choose(floor, policy.Profile(req.Profile))
	if err != nil {
		return err
	}
	req.Profile = string(chosen)
	return nil
}

// roomPatience bounds the look at what a tenant has stored.
const roomPatience = 5 * time.Second

// sizer is what is kept ready.
type sizer interface{ Resize(target int) }

// Sandboxes are kept ready for the servers that the measured rates need, never
// fewer than the settings say. Growing is at once; shrinking waits this long, so
// that a pause between two bursts costs nothing.
const (
	sizeEvery   = time.Second
	shrinkAfter = 30 * time.Second
	mostReady   = 4 // times the executions that may run at once
)

// startSizing has the pools follow the queue until the service ends.
func (s *service) startSizing(pools sizer) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		keepSized(ctx, s.queue.Stats, pools, s.settings.Ready)
	}()
	s.undo.Add(func() error { cancel(); <-done; return nil })
}

func keepSized(ctx context.Context, stats func() queue.Stats, pools sizer, least int) {
	if least <= 0 {
		return // nothing is kept ready
	}
	now, since := least, time.Time{} // since when fewer would do
	for pauseFor(ctx, sizeEvery) {
		seen, at := stats(), time.Now()
		want := min(max(seen.Wanted, least), max(mostReady*seen.Servers, least))
		switch {
		case want == now:
			since = time.Time{}
			continue
		case want < now && since.IsZero():
			since = at
			continue
		case want < now && at.Sub(since) < shrinkAfter:
			continue
		}
		pools.Resize(want)
		now, since = want, time.Time{}
	}
}

// pauseFor waits, and reports whether ctx goes on. It asks no channel of a timer:
// under the race detector those crash Go 1.26's runtime on a test's own clock.
func pauseFor(ctx context.Context, d time.Duration) bool {
	over, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-over.Done()
	return ctx.Err() == nil
}

package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Live is an opened interpreter with its way from cell to record. Its calls
// come one at a time.
type Live interface {
	// Cell runs one cell as number count of its session.
	Cell(ctx context.Context, req cellwall.Request, count int, sink cellwall.Sink) (*cellwall.Result, error)
	// Stop answers a request that a budget forbids, and runs nothing of it.
	Stop(ctx context.Context, req cellwall.Request, stop cellwall.Stop) (*cellwall.Result, error)
	// Rollback is that of cellwall.Checkpointer.
	Rollback(ctx context.Context, to cellwall.Return) (cellwall.Restored, error)
	// Settle takes the files of the workspace for known: somebody put them there, and
	// the next cell does not deliver them.
	Settle(context.Context)
	// Interpreter is what the cells run in.
	Interpreter() cellwall.Interpreter
	// Close gives the sandbox up. Nothing of it may be called afterwards.
	Close()
}

// Meter counts what a session uses and says when it has to stop.
type Meter interface {
	// Admit returns the budget that is reached, nil when the next cell may run.
	Admit() *cellwall.Stop
	// Note counts a cell that was admitted, and what its caller paid for it.
	Note(result *cellwall.Result, tokenCost float64)
	// Ran counts processor time that the session used beside its cells.
	Ran(spent time.Duration)
	// Limit and Used say what may be used and what was.
	Limit() cellwall.Budget
	Used() cellwall.Budget
}

// Options say how sessions are kept. Open is required; other zero values mean
// the defaults.
type Options struct {
	// Open makes a session of this id: the sandbox, its inputs parsed. A Result
	// without a Live is a session that ended while it began.
	Open func(ctx context.Context, req cellwall.Request, id string, sink cellwall.Sink) (Live, *cellwall.Result, error)
	// Beside makes a session of this id, for who, with the state of another one; see
	// Session.Beside. Nil = a branch cannot live beside its origin.
	Beside func(ctx context.Context, origin Live, who cellwall.Identity, id string, sink cellwall.Sink) (Live, []cellwall.Notice, *cellwall.Result, error)
	// Meter returns the budgets of a new session; nil = none.
	Meter func(cellwall.Identity) Meter

	Idle      time.Duration // 10 minutes
	Total     time.Duration // 4 hours
	PerTenant int           // sessions of one tenant at once; 8
	// Most is PerTenant for one tenant, asked at each opening; nil, or 0 = PerTenant.
	Most func(tenant string) int
	// Between hears of processor time that a session of who's has used beside its
	// cells, each part once: when it has run for a while, see Sessions.Measure, before a
	// cell, when somebody looks, and at the end. It is not to wait. Nil = nobody.
	Between func(who cellwall.Identity, spent time.Duration)
	// Ended hears of a session that is put away, and why; it is not to wait. Nil =
	// nobody.
	Ended func(one *Session, why string)
	Queue int // callers who wait for their turn in one session; 8

	History      int          // cells that a history holds; 10,000
	HistoryBytes int64        // of all outputs that a history holds; 64 MiB
	Logger       *slog.Logger // nil = silent
}

// Remembered is of how many sessions that ended it is still known why.
const Remembered = 64

func (o Options) withDefaults() Options {
	if o.Idle <= 0 {
		o.Idle = 10 * time.Minute
	}
	if o.Total <= 0 {
		o.Total = 4 * time.Hour
	}
	if o.PerTenant <= 0 {
		o.PerTenant = 8
	}
	if o.Queue <= 0 {
		o.Queue = 8
	}
	if o.History <= 0 {
		o.History = 10_000
	}
	if o.HistoryBytes <= 0 {
		o.HistoryBytes = 64 * cellwall.MiB
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Sessions opens sessions and finds them again. It is safe for concurrent use.
type Sessions struct {
	opts Options

	mu      sync.Mutex
	live    map[string]*Session
	tenants map[string]int // sessions that live or are being opened
	ended   []tombstone    // the latest, oldest first
	closed  bool
	work    sync.WaitGroup // sessions that are not put away yet; Add only under mu while open
}

// tombstone is what is left of a session that ended.
type tombstone struct {
	id, tenant string
	over       func(op string) error
}

// New returns Sessions without any. It fails when Open is missing.
func New(opts Options) (*Sessions, error) {
	if opts.Open == nil {
		return nil, errors.New("make sessions: nothing opens them")
	}
	return &Sessions{opts: opts.withDefaults(), live: map[string]*Session{}, tenants: map[string]int{}}, nil
}

// Create opens a session for req: its environment, backend, limits and
// datasets, which sink hears of while they are parsed. The Result says how that
// ended; when it is not ok the session, if there is one, lacks df and goes on.
// Without a Session the beginning itself was its end.
//
// It fails with CodeRateLimited when the tenant has as many as it may have, and
// with CodeDraining after Close.
func (s *Sessions) Create(ctx context.Context, req cellwall.Request, sink cellwall.Sink) (*Session, *cellwall.Result, error) {
	return s.CreateFor(ctx, req, Life{}, sink)
}

// Life is how long one session may stand; zero fields mean that of Options, which
// is also the most.
type Life struct {
	Idle  time.Duration // since somebody used it
	Total time.Duration
}

// CreateFor is Create of a session with a life of its own. It fails with
// CodeBadRequest when that is longer than it may be.
func (s *Sessions) CreateFor(
	ctx context.Context, req cellwall.Request, life Life, sink cellwall.Sink,
) (*Session, *cellwall.Result, error) {
	life, err := s.life(life)
	if err != nil {
		return nil, nil, err
	}
	req.Identity.Tenant = tenantOf(req.Identity)
	if err := s.enter(req.Identity.Tenant); err != nil {
		return nil, nil, err
	}
	opened := false
	defer func() {
		if !opened {
			s.leave(req.Identity.Tenant)
		}
	}()
	id := cellwall.NewID(cellwall.PrefixSession)
	live, result, err := s.opts.Open(ctx, req, id, sink)
	if opened = err == nil && live != nil; !opened {
		return nil, result, err
	}
	return s.add(newSession(s, id, req, life, live, result)), result, nil
}

// life fills in what is left open, and refuses what is too long.
func (s *Sessions) life(l Life) (Life, error) {
	for _, span := range []struct {
		asked *time.Duration
		most  time.Duration
		name  string
	}{{&l.Idle, s.opts.Idle, "idle time"}, {&l.Total, s.opts.Total, "lifetime"}} {
		if *span.asked < 0 || *span.asked > span.most {
			return l, &cellwall.Error{
				Code: cellwall.CodeBadRequest, Op: "check " + span.name, Err: fmt.Errorf("%v is outside 1s to %v", *span.asked, span.most),
			}
		}
		if *span.asked == 0 {
			*span.asked = span.most
		}
	}
	return l, nil
}

// most is how many sessions a tenant may have.
func (s *Sessions) most(tenant string) int {
	if s.opts.Most != nil {
		if n := s.opts.Most(tenant); n > 0 {
			return n
		}
	}
	return s.opts.PerTenant
}

// enter takes one of the tenant's places.
func (s *Sessions) enter(tenant string) error {
	most := s.most(tenant)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return &cellwall.Error{Code: cellwall.CodeDraining, Op: "open session", Err: errors.New("no new ones are opened")}
	}
	if n := s.tenants[tenant]; n >= most {
		return &cellwall.Error{
			Code: cellwall.CodeRateLimited, Op: "open session", Err: fmt.Errorf("%d are open already", n),
			Hint: fmt.Sprintf("close one: a tenant has at most %d", most),
		}
	}
	s.tenants[tenant]++
	s.work.Add(1)
	return nil
}

// leave gives a tenant's place back.
func (s *Sessions) leave(tenant string) {
	s.mu.Lock()
	if s.tenants[tenant]--; s.tenants[tenant] == 0 {
		delete(s.tenants, tenant)
	}
	s.mu.Unlock()
	s.work.Done()
}

// add makes a new session known. One that was opened while the house closed
// ends here.
func (s *Sessions) add(one *Session) *Session {
	s.mu.Lock()
	s.live[one.id] = one
	closed := s.closed
	s.mu.Unlock()
	if closed {
		one.end(endClosed)
	}
	return one
}

// put takes a session that ended out of those that live.
func (s *Sessions) put(one *Session, why ending) {
	tenant := one.req.Identity.Tenant
	s.mu.Lock()
	delete(s.live, one.id)
	s.ended = append(s.ended, tombstone{id: one.id, tenant: tenant, over: func(op string) error { return one.life.over(op, why) }})
	if over := len(s.ended) - Remembered; over > 0 {
		s.ended = slices.Delete(s.ended, 0, over)
	}
	s.mu.Unlock()
	s.leave(tenant)
	if s.opts.Ended != nil {
		s.opts.Ended(one, string(why))
	}
}

// Get returns the tenant's own session of this id. It fails with CodeNotFound,
// and for one that ended not long ago as its calls do.
func (s *Sessions) Get(id string, who cellwall.Identity) (*Session, error) {
	const op = "find session"
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.live[id]; one != nil && one.of(who) {
		return one, nil
	}
	for _, t := range s.ended {
		if t.id == id && t.tenant == tenantOf(who) {
			return nil, t.over(op)
		}
	}
	return nil, &cellwall.Error{
		Code: cellwall.CodeNotFound, Op: op, Err: fmt.Errorf("there is no %.40q", id),
		Hint: "it may have ended long ago: open another one",
	}
}

// List returns the tenant's sessions that live, oldest first.
func (s *Sessions) List(who cellwall.Identity) []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var own []*Session
	for _, one := range s.live {
		if one.of(who) {
			own = append(own, one)
		}
	}
	slices.SortFunc(own, func(a, b *Session) int { return a.began.Compare(b.began) })
	return own
}

// of reports whether a session is for this tenant to use: one that runs programs of
// ours, unchecked, is nobody's to join.
func (s *Session) of(who cellwall.Identity) bool {
	return s.req.Identity.Tenant == tenantOf(who) && !s.req.Own
}

func tenantOf(who cellwall.Identity) string {
	if who.Tenant == "" {
		return "local"
	}
	return who.Tenant
}

// Close ends every session and returns when the last one is put away.
func (s *Sessions) Close() error {
	s.mu.Lock()
	s.closed = true
	live := make([]*Session, 0, len(s.live))
	for _, one := range s.live {
		live = append(live, one)
	}
	s.mu.Unlock()
	for _, one := range live {
		one.end(endClosed)
	}
	s.work.Wait()
	return nil
}

package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cellwall/cellwall"
)

// opener is the part of a backend that a set needs.
type opener interface {
	Open(context.Context, cellwall.Spec) (cellwall.Sandbox, error)
}

// SetOptions say how the pools of one backend are kept.
type SetOptions struct {
	Backend opener          // required
	Class   cellwall.Limits // what sandboxes are opened with ahead; zero = Class(DefaultLimits())
	Kinds   int             // kinds kept ready; 0 = DefaultKinds; others are opened directly
	Most    int             // sandboxes claimed and not yet destroyed; 0 = DefaultMost; more claims are busy
	Pool    Options         // of each pool; Open and Ahead are ignored
}

// DefaultKinds bounds how many kinds a set keeps ready. A kind costs Target
// idle sandboxes, and the caller of an API chooses the kind.
const DefaultKinds = 8

// DefaultMost bounds how many sandboxes are out at once. Each may use all of its
// limits: more than this is more than most hosts have.
const DefaultMost = 256

// Set holds the pools of one backend. It is safe for concurrent use.
type Set struct {
	opts   SetOptions
	direct *Pool // keeps nothing ready; opens what no class can serve
	before courtesy

	mu     sync.Mutex
	pools  map[Kind]*Pool
	ends   map[cellwall.Sandbox]func() // of what was claimed with Before and is not destroyed
	out    int                         // sandboxes claimed, or about to be, and not yet destroyed
	held   bool                        // by Hold
	closed bool
}

// NewSet returns a set without any pool: a pool of a kind starts at its first
// claim, or by Prepare.
func NewSet(opts SetOptions) *Set {
	if opts.Class == (cellwall.Limits{}) {
		opts.Class = Class(cellwall.DefaultLimits())
	}
	if opts.Kinds <= 0 {
		opts.Kinds = DefaultKinds
	}
	if opts.Most <= 0 {
		opts.Most = DefaultMost
	}
	bare := opts.Pool
	bare.Target = 0
	return &Set{opts: opts, direct: New(bare), pools: map[Kind]*Pool{}, ends: map[cellwall.Sandbox]func(){}}
}

// Prepare starts to keep sandboxes of spec's kind ready.
func (s *Set) Prepare(spec cellwall.Spec) { s.pool(spec) }

// Claim returns a sandbox for spec that nobody used. Its identity, inputs and
// limits are told by Bind, whether it was ready or not. It fails as
// [Pool.Claim] does, and with CodeBusy at once when Most sandboxes are out.
func (s *Set) Claim(ctx context.Context, spec cellwall.Spec) (cellwall.Sandbox, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	end := func() {}
	if spec.Precedence == cellwall.Before {
		end = s.before.begin() // the filler that this claim starts waits already
	}
	sb, err := s.claim(ctx, spec)
	switch {
	case err != nil:
		end()
		s.leave()
	case spec.Precedence == cellwall.Before:
		s.goesBefore(sb, end)
	}
	return sb, err
}

func (s *Set) goesBefore(sb cellwall.Sandbox, end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends[sb] = end
}

func (s *Set) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out >= s.opts.Most && !s.closed { // a closed set says so itself
		return &cellwall.Error{
			Code: cellwall.CodeBusy, Op: "claim sandbox", Err: fmt.Errorf("%d sandboxes are in use", s.out),
			Hint: "try again when a run has ended",
		}
	}
	s.out++
	return nil
}

func (s *Set) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out--
}

func (s *Set) claim(ctx context.Context, spec cellwall.Spec) (cellwall.Sandbox, error) {
	p, open := s.pool(spec), func(ctx context.Context) (cellwall.Sandbox, error) {
		return s.opts.Backend.Open(ctx, ahead(spec, spec.Limits))
	}
	if p == nil {
		p = s.direct
	} else {
		open = p.opts.Open
	}
	if spec.Precedence == cellwall.Behind {
		open = s.before.after(open)
	}
	return p.claim(ctx, spec.Precedence, open)
}

// Destroy closes a sandbox that Claim returned, as [Pool.Destroy] does. The
// bound on closing sandboxes is the set's, not each kind's. What was claimed is
// destroyed once.
func (s *Set) Destroy(sb cellwall.Sandbox) {
	defer s.leave() // what is closing holds memory still: Destroyers bounds it
	s.over(sb)
	s.mu.Lock()
	for _, p := range s.pools { // a few kinds; which one it came from is not kept
		p.refill()
	}
	s.mu.Unlock()
	s.direct.Destroy(sb)
}

// over lets others go on where the sandbox's run went before them.
func (s *Set) over(sb cellwall.Sandbox) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.ends[sb]; end != nil {
		delete(s.ends, sb)
		end()
	}
}

// Stats returns the figures of each kind. The zero Kind stands for what was
// opened without a pool, and for every sandbox that was claimed and destroyed.
func (s *Set) Stats() map[Kind]Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := map[Kind]Stats{{}: s.direct.Stats()}
	for kind, p := range s.pools {
		stats[kind] = p.Stats()
	}
	return stats
}

// Close closes every pool. It does not close the backend.
func (s *Set) Close() error {
	s.mu.Lock()
	s.closed = true
	pools := []*Pool{s.direct}
	for _, p := range s.pools {
		pools = append(pools, p)
	}
	s.mu.Unlock()

	errs := make([]error, len(pools))
	var wg sync.WaitGroup
	for i, p := range pools {
		wg.Go(func() { errs[i] = p.Close() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// pool returns the pool of spec's kind and starts it when there is room. Nil
// means that spec has to be opened directly, as one from a template always is:
// that is one tenant's, and may be gone at the next claim.
func (s *Set) pool(spec cellwall.Spec) *Pool {
	if spec.Template != "" || !fits(spec.Limits, s.opts.Class) {
		return nil
	}
	kind := KindOf(spec, s.opts.Class)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opts.Pool.Target <= 0 {
		return nil
	}
	if p := s.pools[kind]; p != nil {
		return p
	}
	if s.closed || len(s.pools) >= s.opts.Kinds {
		return nil
	}
	opts, now := s.opts.Pool, ahead(spec, s.opts.Class)
	later := now
	later.Ahead = true
	opts.Open = func(ctx context.Context) (cellwall.Sandbox, error) { return s.opts.Backend.Open(ctx, now) }
	opts.Ahead = s.before.after(func(ctx context.Context) (cellwall.Sandbox, error) { return s.opts.Backend.Open(ctx, later) })
	p := start(opts, s.held)
	s.pools[kind] = p
	return p
}

package pool_test

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sandbox is a sandbox that only lives and dies.
type sandbox struct {
	host   *host
	spec   cellwall.Spec
	dead   atomic.Bool
	closed atomic.Int32
}

func (s *sandbox) Alive() bool { return !s.dead.Load() }
func (s *sandbox) Close() error {
	if s.closed.Add(1) == 1 {
		s.host.open.Add(-1)
	}
	if s.host.closing != nil {
		<-s.host.closing
	}
	return nil
}
func (s *sandbox) Bind(context.Context, cellwall.Claim) error { return nil }
func (s *sandbox) Boundary() cellwall.Boundary                { return cellwall.Boundary{} }
func (s *sandbox) Harvest(context.Context) (fs.FS, error)     { return nil, nil }
func (s *sandbox) Run(context.Context, cellwall.Code, cellwall.Sink) (cellwall.End, error) {
	return cellwall.End{}, nil
}

// host opens sandboxes and counts those that are open.
type host struct {
	open    atomic.Int64
	opened  atomic.Int64
	failing atomic.Bool
	closing chan struct{} // when set, Close waits for it

	mu        sync.Mutex
	now, most int // opens under way
	delay     time.Duration
	all       []*sandbox
}

var errHost = errors.New("host is full")

func (h *host) Open(ctx context.Context, spec cellwall.Spec) (cellwall.Sandbox, error) {
	h.mu.Lock()
	h.now++
	h.most = max(h.most, h.now)
	h.mu.Unlock()
	defer func() { h.mu.Lock(); h.now--; h.mu.Unlock() }()
	select {
	case <-time.After(h.delay):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if h.failing.Load() {
		return nil, errHost
	}
	sb := &sandbox{host: h, spec: spec}
	h.open.Add(1)
	h.opened.Add(1)
	h.mu.Lock()
	h.all = append(h.all, sb)
	h.mu.Unlock()
	return sb, nil
}

func (h *host) plain(ctx context.Context) (cellwall.Sandbox, error) {
	return h.Open(ctx, cellwall.Spec{})
}

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second) // only against hanging
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func claim(t *testing.T, p *pool.Pool) *sandbox {
	t.Helper()
	sb, err := p.Claim(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return sb.(*sandbox)
}

func TestFill_keeps_the_target_and_opens_at_most_two_at_once(t *testing.T) {
	h := &host{delay: time.Millisecond}
	p := pool.New(pool.Options{Open: h.plain, Target: 9})
	defer p.Close()
	eventually(t, "9 ready", func() bool { return p.Stats().Ready == 9 })
	p.Destroy(claim(t, p))
	eventually(t, "9 ready again", func() bool { return p.Stats().Ready == 9 && h.open.Load() == 9 })
	if h.most > pool.DefaultFillers {
		t.Errorf("%d opens at once, want at most %d", h.most, pool.DefaultFillers)
	}
	if n := h.opened.Load(); n != 10 {
		t.Errorf("%d opened for 9 + 1", n)
	}
}

func TestClaim_from_an_empty_pool_opens_in_parallel(t *testing.T) {
	const burst = 100
	var waiting sync.WaitGroup
	waiting.Add(burst) // an open returns only when all of them are inside: no clock needed
	h := &host{}
	p := pool.New(pool.Options{Open: func(ctx context.Context) (cellwall.Sandbox, error) {
		waiting.Done()
		waiting.Wait()
		return h.plain(ctx)
	}})
	defer p.Close()
	var wg sync.WaitGroup
	for range burst {
		wg.Go(func() {
			sb, err := p.Claim(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			p.Destroy(sb)
		})
	}
	wg.Wait()
	if s := p.Stats(); s.Direct != burst {
		t.Errorf("direct = %d, want %d", s.Direct, burst)
	}
}

func TestClaim_never_hands_out_one_twice_nor_a_dead_one(t *testing.T) {
	h := &host{}
	p := pool.New(pool.Options{Open: h.plain, Target: 4})
	defer p.Close()
	eventually(t, "4 ready", func() bool { return p.Stats().Ready == 4 })
	h.mu.Lock()
	for _, sb := range h.all {
		sb.dead.Store(true)
	}
	h.mu.Unlock()
	seen := map[*sandbox]bool{}
	for range 20 {
		sb := claim(t, p)
		if seen[sb] || sb.dead.Load() || sb.closed.Load() != 0 {
			t.Fatalf("seen %v dead %v closed %d", seen[sb], sb.dead.Load(), sb.closed.Load())
		}
		seen[sb] = true
		p.Destroy(sb)
	}
	if d := p.Stats().Discarded; d != 4 {
		t.Errorf("discarded %d, want 4", d)
	}
}

func TestClaim_returns_the_backends_error_and_the_filler_backs_off(t *testing.T) {
	h := &host{}
	h.failing.Store(true)
	p := pool.New(pool.Options{Open: h.plain, Target: 2, MinPause: time.Hour, MaxPause: time.Hour})
	defer p.Close()
	eventually(t, "paused", func() bool { return p.Stats().Paused })
	failed := p.Stats().Failed
	if _, err := p.Claim(context.Background()); !errors.Is(err, errHost) {
		t.Errorf("Claim() = %v, want the backend's error", err)
	}
	if now := p.Stats().Failed; now > failed+2 { // the claim's own, and a filler that was under way
		t.Errorf("failures went from %d to %d: the filler does not pause", failed, now)
	}
}

func TestFill_recovers_after_the_backend_does(t *testing.T) {
	h := &host{}
	h.failing.Store(true)
	p := pool.New(pool.Options{Open: h.plain, Target: 2, MinPause: time.Millisecond, MaxPause: 2 * time.Millisecond})
	defer p.Close()
	eventually(t, "several failures", func() bool { return p.Stats().Failed > 3 })
	h.failing.Store(false)
	eventually(t, "2 ready", func() bool { return p.Stats().Ready == 2 })
}

func TestDestroy_waits_when_too_many_are_closing(t *testing.T) {
	h := &host{closing: make(chan struct{})}
	p := pool.New(pool.Options{Open: h.plain, Destroyers: 2})
	for range 2 {
		p.Destroy(claim(t, p))
	}
	third := make(chan struct{})
	sb := claim(t, p)
	go func() { p.Destroy(sb); close(third) }()
	select {
	case <-third:
		t.Error("the third Destroy did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	close(h.closing)
	<-third
	p.Close()
	if n := h.open.Load(); n != 0 {
		t.Errorf("%d open after Close", n)
	}
}

func TestClose_leaves_nothing_open_also_what_was_being_opened(t *testing.T) {
	h := &host{delay: 5 * time.Millisecond}
	p := pool.New(pool.Options{Open: h.plain, Target: 8, Fillers: 8})
	claimed := claim(t, p)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if sb, err := p.Claim(context.Background()); err == nil {
				p.Destroy(sb)
			} else if cellwall.CodeOf(err) != cellwall.CodeDraining {
				t.Errorf("Claim() = %v, want draining", err)
			}
		})
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if n := h.open.Load(); n != 1 {
		t.Errorf("%d open after Close, want the claimed one only", n)
	}
	p.Destroy(claimed)
	if n := h.open.Load(); n != 0 {
		t.Errorf("%d open after the last Destroy", n)
	}
	if _, err := p.Claim(context.Background()); cellwall.CodeOf(err) != cellwall.CodeDraining {
		t.Errorf("Claim() after Close = %v", err)
	}
}

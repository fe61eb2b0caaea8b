package pool_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cellwall/cellwall/pool"
)

// TestPool_keeps_its_promises_in_any_order drives a pool through random
// histories; the check after each step is the specification.
func TestPool_keeps_its_promises_in_any_order(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &host{}
		target := rapid.IntRange(0, 4).Draw(t, "target")
		most := target // that was asked for so far
		m := &history{host: h, given: map[*sandbox]bool{}, pool: pool.New(pool.Options{
			Open: h.plain, Target: target, Destroyers: 3,
			MinPause: time.Microsecond, MaxPause: time.Millisecond,
		})}
		t.Repeat(map[string]func(*rapid.T){
			"claim":      m.claim,
			"destroy":    m.destroy,
			"break host": func(*rapid.T) { h.failing.Store(true) },
			"mend host":  func(*rapid.T) { h.failing.Store(false) },
			"kill one":   m.kill,
			"resize": func(t *rapid.T) {
				target = rapid.IntRange(-1, 4).Draw(t, "new target")
				most = max(most, target)
				m.pool.Resize(target)
			},
			"": func(t *rapid.T) {
				if s := m.pool.Stats(); s.Ready > max(target, 0) || s.Ready+s.Filling > most {
					t.Fatalf("%d ready and %d coming, target %d, at most %d before", s.Ready, s.Filling, target, most)
				}
			},
		})
		m.end(t)
	})
}

// history is what one random history did so far.
type history struct {
	host  *host
	pool  *pool.Pool
	out   []*sandbox // claimed
	given map[*sandbox]bool
}

func (m *history) claim(t *rapid.T) {
	sb, err := m.pool.Claim(context.Background())
	if err != nil {
		if !m.host.failing.Load() {
			t.Fatalf("Claim() = %v from a healthy host", err)
		}
		return
	}
	got := sb.(*sandbox)
	if m.given[got] || got.closed.Load() > 0 || got.dead.Load() {
		t.Fatalf("handed out a used, closed or dead sandbox")
	}
	m.given[got] = true
	m.out = append(m.out, got)
}

func (m *history) destroy(t *rapid.T) {
	if len(m.out) == 0 {
		return // nothing is claimed
	}
	i := rapid.IntRange(0, len(m.out)-1).Draw(t, "which")
	m.pool.Destroy(m.out[i])
	m.out = append(m.out[:i], m.out[i+1:]...)
}

// kill lets a sandbox die while it waits.
func (m *history) kill(t *rapid.T) {
	m.host.mu.Lock()
	defer m.host.mu.Unlock()
	if len(m.host.all) == 0 {
		return // nothing was opened
	}
	sb := m.host.all[rapid.IntRange(0, len(m.host.all)-1).Draw(t, "which")]
	if !m.given[sb] {
		sb.dead.Store(true)
	}
}

// end closes the pool and counts what is left.
func (m *history) end(t *rapid.T) {
	if err := m.pool.Close(); err != nil {
		t.Fatal(err)
	}
	if n := m.host.open.Load(); n != int64(len(m.out)) {
		t.Fatalf("%d open after Close, %d claimed", n, len(m.out))
	}
	for _, sb := range m.out {
		m.pool.Destroy(sb)
	}
	if n := m.host.open.Load(); n != 0 {
		t.Fatalf("%d open at the end", n)
	}
	for _, sb := range m.host.all {
		if n := sb.closed.Load(); n != 1 {
			t.Fatalf("a sandbox was closed %d times", n)
		}
	}
}

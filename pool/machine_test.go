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
		p := pool.New(pool.Options{
			Open: h.plain, Target: target, Destroyers: 3,
			MinPause: time.Microsecond, MaxPause: time.Millisecond,
		})
		var out []*sandbox
		given := map[*sandbox]bool{}
		t.Repeat(map[string]func(*rapid.T){
			"claim": func(t *rapid.T) {
				sb, err := p.Claim(context.Background())
				if err != nil {
					if !h.failing.Load() {
						t.Fatalf("Claim() = %v from a healthy host", err)
					}
					return
				}
				got := sb.(*sandbox)
				if given[got] || got.closed.Load() > 0 || got.dead.Load() {
					t.Fatalf("handed out a used, closed or dead sandbox")
				}
				given[got] = true
				out = append(out, got)
			},
			"destroy": func(t *rapid.T) {
				if len(out) == 0 {
					return // nothing is claimed
				}
				i := rapid.IntRange(0, len(out)-1).Draw(t, "which")
				p.Destroy(out[i])
				out = append(out[:i], out[i+1:]...)
			},
			"break host": func(*rapid.T) { h.failing.Store(true) },
			"mend host":  func(*rapid.T) { h.failing.Store(false) },
			"kill one": func(t *rapid.T) {
				h.mu.Lock()
				defer h.mu.Unlock()
				if len(h.all) == 0 {
					return // nothing was opened
				}
				sb := h.all[rapid.IntRange(0, len(h.all)-1).Draw(t, "which")]
				if !given[sb] {
					sb.dead.Store(true)
				}
			},
			"": func(t *rapid.T) {
				if s := p.Stats(); s.Ready+s.Filling > target {
					t.Fatalf("%d ready and %d coming, target %d", s.Ready, s.Filling, target)
				}
			},
		})
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if n := h.open.Load(); n != int64(len(out)) {
			t.Fatalf("%d open after Close, %d claimed", n, len(out))
		}
		for _, sb := range out {
			p.Destroy(sb)
		}
		if n := h.open.Load(); n != 0 {
			t.Fatalf("%d open at the end", n)
		}
		for _, sb := range h.all {
			if n := sb.closed.Load(); n != 1 {
				t.Fatalf("a sandbox was closed %d times", n)
			}
		}
	})
}

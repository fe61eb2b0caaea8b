package queue

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/cellwall/cellwall"
)

// TestQueue_keeps_its_promises_in_any_order drives a queue through random
// histories; the check after each step is the specification.
func TestQueue_keeps_its_promises_in_any_order(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Wrapped, so that rapid does not ask for the deadline, which a clock of our own has not.
		rapid.Check(struct{ rapid.TB }{t}, func(t *rapid.T) {
			o := Options{
				Servers: rapid.IntRange(1, 4).Draw(t, "servers"), Waiting: rapid.IntRange(1, 8).Draw(t, "waiting"),
				PerTenant: rapid.IntRange(1, 4).Draw(t, "per tenant"), Acceptable: time.Hour,
			}
			h := &history{q: New(o), o: o}
			t.Repeat(map[string]func(*rapid.T){
				"ask":    h.ask,
				"cancel": h.cancel,
				"leave":  h.leave,
				"pass": func(t *rapid.T) {
					time.Sleep(time.Duration(rapid.IntRange(1, 20_000).Draw(t, "ms")) * time.Millisecond)
					h.settle() // who left a turn for others may have it when they are forgotten
				},
				"": h.check,
			})
			h.end(t)
		})
	})
}

// history is what one random history did so far.
type history struct {
	q        *Queue
	o        Options
	all      []*asked
	refused  int64
	canceled int64
}

// asked is one request that is not over.
type asked struct {
	tenant string
	cancel func()
	in     bool
	turn   *Turn
	err    error
	done   chan struct{}
}

func (h *history) count(tenant string, in bool) (n int) {
	for _, a := range h.all {
		if (tenant == "" || a.tenant == tenant) && a.in == in {
			n++
		}
	}
	return n
}

func (h *history) ask(t *rapid.T) {
	ctx, cancel := context.WithCancel(context.Background())
	a := &asked{tenant: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "tenant"), cancel: cancel, done: make(chan struct{})}
	full := h.count("", false) >= h.o.Waiting || h.count(a.tenant, false) >= h.o.PerTenant
	go func() {
		defer close(a.done)
		a.turn, a.err = h.q.Enter(ctx, a.tenant, 0)
	}()
	synctest.Wait()
	h.all = append(h.all, a)
	h.settle()
	if a.err != nil {
		if code := cellwall.CodeOf(a.err); !full || code != cellwall.CodeBusy && code != cellwall.CodeRateLimited || cellwall.RetryAfterOf(a.err) < minRetry {
			t.Fatalf("refused with room in the lines: %v", a.err)
		}
		h.refused++
		h.drop(a)
	}
}

func (h *history) drop(a *asked) {
	a.cancel()
	h.all = slices.DeleteFunc(h.all, func(b *asked) bool { return a == b })
}

// settle notes who came in.
func (h *history) settle() {
	synctest.Wait()
	for _, a := range h.all {
		select {
		case <-a.done:
			a.in = a.err == nil
		default:
		}
	}
}

func (h *history) pick(t *rapid.T, in bool) *asked {
	var some []*asked
	for _, a := range h.all {
		if a.in == in {
			some = append(some, a)
		}
	}
	if len(some) == 0 {
		return nil
	}
	return some[rapid.IntRange(0, len(some)-1).Draw(t, "which")]
}

func (h *history) cancel(t *rapid.T) {
	if a := h.pick(t, false); a != nil {
		a.cancel()
		<-a.done // at once
		h.canceled++
		h.drop(a)
		h.settle()
	}
}

func (h *history) leave(t *rapid.T) {
	if a := h.pick(t, true); a != nil {
		first := map[string]*asked{}
		for _, b := range h.all {
			if !b.in && first[b.tenant] == nil {
				first[b.tenant] = b
			}
		}
		a.turn.Leave()
		h.drop(a)
		h.settle()
		for tenant, b := range first {
			if !b.in && h.count(tenant, true) > 0 && h.passed(b) {
				t.Fatalf("%s: somebody passed the first of the line", tenant)
			}
		}
	}
}

// passed reports whether one of the same line that came later is in.
func (h *history) passed(b *asked) bool {
	at := slices.Index(h.all, b)
	return slices.ContainsFunc(h.all[at:], func(c *asked) bool { return c.in && c.tenant == b.tenant })
}

func (h *history) check(t *rapid.T) {
	s := h.q.Stats()
	in, out := h.count("", true), h.count("", false)
	if s.Running != in || s.Waiting != out || s.Left != h.canceled || s.Full != h.refused || s.Shed != 0 {
		t.Fatalf("%+v, with %d in and %d that wait", s, in, out)
	}
	if in > h.o.Servers || out > h.o.Waiting {
		t.Fatalf("%d in of %d, %d wait of %d", in, h.o.Servers, out, h.o.Waiting)
	}
	crowds := map[string]bool{}
	for _, a := range h.all {
		if h.count(a.tenant, true)+h.count(a.tenant, false) >= h.q.many() {
			crowds[a.tenant] = true
		}
		if n := h.count(a.tenant, false); n > h.o.PerTenant {
			t.Fatalf("%d of %s wait", n, a.tenant)
		}
	}
	if h.q.crowds != len(crowds) {
		t.Fatalf("%d tenants are said to have many here, and %v have", h.q.crowds, crowds)
	}
	if in == h.o.Servers {
		return
	}
	for _, a := range h.all { // no turn stays free that somebody may have
		if !a.in && (h.o.Servers == 1 || h.count(a.tenant, true) < h.o.Servers-1) {
			t.Fatalf("%s waits, with %d of %d in", a.tenant, in, h.o.Servers)
		}
	}
}

// end lets everybody go and looks that nothing is left.
func (h *history) end(t *rapid.T) {
	for len(h.all) > 0 {
		h.settle()
		for _, a := range slices.Clone(h.all) {
			if a.in {
				a.turn.Leave()
				h.drop(a)
			}
		}
	}
	if s := h.q.Stats(); s.Running != 0 || s.Waiting != 0 || len(h.q.next) != 0 {
		t.Fatalf("left behind: %+v", s)
	}
}

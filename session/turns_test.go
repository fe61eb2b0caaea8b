package session

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/cellwall/cellwall"
)

// guest is one caller of a queue under test.
type guest struct {
	call   call
	cancel context.CancelFunc
	heard  chan error
	inside bool
	gone   bool
}

// Whatever comes, in whatever order: one is inside, the next is who came first,
// nobody is forgotten, and the end is heard by all who wait.
func TestM40_TurnsKeepTheirPromisesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 40).Draw(r, "steps")
		pick := rapid.SliceOfN(rapid.IntRange(0, 7), len(steps), len(steps)).Draw(r, "who")
		synctest.Test(t, func(t *testing.T) { playTurns(t, steps, pick) })
	})
}

// game plays steps against a queue and against a model of it.
type game struct {
	*testing.T
	q     *turns
	model []*guest // the first is inside, the others wait
	all   []*guest
	over  bool
}

func playTurns(t *testing.T, steps, pick []int) {
	g := &game{T: t, q: newTurns(4)}
	for i, step := range steps {
		switch step {
		case 0, 1, 2:
			g.come(call{op: "x", cell: step > 0, rush: step == 0})
		case 3:
			g.leave()
		case 4:
			g.quit(pick[i])
		case 5:
			g.end(pick[i] < 5)
		}
		g.settle(i)
	}
	for _, one := range g.all {
		one.cancel()
	}
	for _, one := range g.model[min(1, len(g.model)):] {
		if err := <-one.heard; !errors.Is(err, context.Canceled) {
			t.Errorf("who left at last heard %v", err)
		}
	}
}

func (g *game) come(c call) {
	one := &guest{call: c, heard: make(chan error, 1)}
	ctx, cancel := context.WithCancel(g.Context())
	one.cancel = cancel
	cells := slices.ContainsFunc(g.model, func(o *guest) bool { return o.call.cell })
	go func() { one.heard <- g.q.enter(ctx, c) }()
	synctest.Wait()
	want := cellwall.ErrorCode("")
	switch {
	case g.over, c.rush && cells:
		want = cellwall.CodeConflict
	case len(g.model) == 5:
		want = cellwall.CodeBusy
	}
	g.all = append(g.all, one)
	if want == "" {
		g.model = append(g.model, one)
		return
	}
	one.gone = true
	if err := <-one.heard; cellwall.CodeOf(err) != want {
		g.Fatalf("%v, want %s", err, want)
	}
}

func (g *game) leave() {
	if len(g.model) == 0 {
		return
	}
	if empty := g.q.leave(g.model[0].call); empty != (len(g.model) == 1) {
		g.Fatalf("empty %v of %d", empty, len(g.model))
	}
	g.model[0].gone, g.model = true, g.model[1:]
}

func (g *game) quit(which int) {
	if len(g.model) < 2 {
		return
	}
	at := 1 + which%(len(g.model)-1)
	one := g.model[at]
	one.cancel()
	if err := <-one.heard; !errors.Is(err, context.Canceled) {
		g.Fatalf("who left heard %v", err)
	}
	one.gone, g.model = true, slices.Delete(g.model, at, at+1)
}

func (g *game) end(idle bool) {
	ends := !g.over && (!idle || len(g.model) == 0)
	if got := g.q.end(Options{}.error, idle); got != ends {
		g.Fatalf("ended %v, want %v", got, ends)
	}
	if !ends {
		return
	}
	g.over = true
	first := min(1, len(g.model))
	for _, one := range g.model[first:] {
		if err := <-one.heard; !errors.Is(err, cellwall.ErrSessionOver) {
			g.Fatalf("who waited heard %v", err)
		}
		one.gone = true
	}
	g.model = g.model[:first]
}

// settle compares the queue with its model.
func (g *game) settle(step int) {
	g.Helper()
	synctest.Wait()
	if len(g.model) > 0 && !g.model[0].inside {
		select {
		case err := <-g.model[0].heard:
			if err != nil {
				g.Fatalf("step %d: the first heard %v", step, err)
			}
			g.model[0].inside = true
		default:
			g.Fatalf("step %d: nobody let the first in", step)
		}
	}
	for _, one := range g.all {
		if !one.gone && !one.inside && len(one.heard) > 0 {
			g.Fatalf("step %d: somebody came in out of turn", step)
		}
	}
	cell, waiting := g.q.busy()
	if cell != slices.ContainsFunc(g.model, func(o *guest) bool { return o.call.cell }) || waiting != max(0, len(g.model)-1) {
		g.Fatalf("step %d: busy %v, %d wait of %d", step, cell, waiting, len(g.model))
	}
	drained := false
	select {
	case <-g.q.drained:
		drained = true
	default:
	}
	if drained != (g.over && len(g.model) == 0) {
		g.Fatalf("step %d: drained %v, over %v, %d left", step, drained, g.over, len(g.model))
	}
}

// error is that of a session that was closed.
func (Options) error(op string) error { return Life{}.over(op, endClosed) }

package main

import (
	"testing"

	"github.com/cellwall/cellwall"
)

func TestGate_LooksAtTheFileItself(t *testing.T) {
	there := false
	g := newGate(func() bool { return there }, func() error { return nil })
	ctx, done := g.within(t.Context())
	if g.Open() != nil || g.lockedOut() != nil || ctx.Err() != nil || g.still() {
		t.Error("it is shut without a lockdown")
	}
	done()
	there = true
	ctx, done = g.within(t.Context())
	defer done()
	if cellwall.CodeOf(g.Open()) != cellwall.CodeLockedDown || cellwall.CodeOf(g.lockedOut()) != cellwall.CodeLockedDown || ctx.Err() == nil {
		t.Error("it is open until the service has seen the file")
	}
}

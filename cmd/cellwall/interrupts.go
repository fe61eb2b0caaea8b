package main

import (
	"cmp"
	"sync"
	"time"
)

// interrupts says what Ctrl-C and a hangup do, and how long the verb may take to
// end. The zero value ends the program at both, within interruptPatience.
type interrupts struct {
	mu       sync.Mutex
	instead  func()
	hangup   func()
	patience time.Duration
}

// serve has a hangup call f, and gives the verb so long to end.
func (i *interrupts) serve(patience time.Duration, f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.patience, i.hangup = patience, f
}

// hungUp reports whether somebody takes hangups, and tells him.
func (i *interrupts) hungUp() bool {
	i.mu.Lock()
	f := i.hangup
	i.mu.Unlock()
	if f == nil {
		return false
	}
	f()
	return true
}

// wait is how long an interrupted verb may take.
func (i *interrupts) wait() time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	return cmp.Or(i.patience, interruptPatience)
}

// take has an interrupt call f instead, until give. A verb that stays at the
// terminal interrupts what it runs.
func (i *interrupts) take(f func()) (give func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.instead = f
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.instead = nil
	}
}

// taken reports whether somebody has taken the interrupt, and tells him.
func (i *interrupts) taken() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.instead == nil {
		return false
	}
	i.instead()
	return true
}

package main

import "sync"

// interrupts says what Ctrl-C does. The zero value ends the program.
type interrupts struct {
	mu      sync.Mutex
	instead func()
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

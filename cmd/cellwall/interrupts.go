package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// interruptPatience is how long a verb may take to put its things away after an
// interrupt: long enough for a half-built environment.
const interruptPatience = 5 * time.Second

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

// withSignals returns a context that ends at the first interrupt that nobody
// takes. Later interrupts are swallowed while the verb puts its things away; one
// that cannot, because a reader of its output stands still, is ended all the same,
// and every sandbox with it. A closed pipe is an error of the write, not the death
// of the process, which would leave a sandbox behind.
func withSignals(parent context.Context, i *interrupts) (context.Context, func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	asked := make(chan os.Signal, 4)
	signal.Notify(asked, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(parent)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-asked:
				if s != syscall.SIGINT || !i.taken() {
					cancel()
				}
			case <-ended:
				return
			}
		}
	}()
	context.AfterFunc(ctx, func() {
		select {
		case <-ended:
		case <-time.After(interruptPatience):
			os.Exit(exitInterrupted)
		}
	})
	return ctx, func() {
		close(ended)
		cancel()
		signal.Stop(asked)
		signal.Stop(broken)
	}
}

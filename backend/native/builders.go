package native

import (
	"os"
	"runtime"

	"github.com/cellwall/cellwall/linux/ns"
)

// builders are threads on which walls are built, one after the other. A wall
// makes every namespace anew or takes one that is empty, and the thread is back
// at the warden's mounts before the next: it keeps nothing of a wall alive.
type builders struct {
	home *os.File // the warden's mount namespace
	jobs chan func() error
}

// startBuilders starts n threads that live as long as the warden.
func startBuilders(n int) (*builders, error) {
	home, err := os.Open("/proc/thread-self/ns/mnt")
	if err != nil {
		return nil, err
	}
	b := &builders{home: home, jobs: make(chan func() error)}
	for range n {
		go b.work()
	}
	return b, nil
}

// do runs f on one of the threads.
func (b *builders) do(f func() error) error {
	done := make(chan error, 1)
	b.jobs <- func() error {
		done <- f()
		return ns.Enter(b.home, ns.Mount)
	}
	return <-done
}

// work is one thread. One that cannot go home ends, and another takes its place.
func (b *builders) work() {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	for job := range b.jobs {
		if err := job(); err != nil {
			go b.work()
			return
		}
	}
}

package cgroup

import "golang.org/x/sys/unix"

// Rest closes the descriptors that the counters are read by, for a group that is
// kept long and asked seldom. The next reading opens them again.
func (g *Group) Rest() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for file, fd := range g.held {
		unix.Close(fd)
		delete(g.held, file)
	}
	g.peakReset = false
}

package native

import (
	"os"
	"slices"

	"github.com/cellwall/cellwall/linux/ns"
	"github.com/cellwall/cellwall/linux/pidfd"
)

// spareNetworks is how many network namespaces the warden keeps for sandboxes
// to come.
const spareNetworks = 64

// takeNetwork puts the calling thread into an empty network namespace: one that
// a dead sandbox had to itself, or a new one. Making and destroying one costs a
// tenth of all that a sandbox costs, and there is nothing in it to inherit: no
// device but a loopback that is down, no right to change that, and no socket,
// because the filter refuses to name one and they end with their processes.
func (w *warden) takeNetwork() (*os.File, error) {
	w.mu.Lock()
	var spare *os.File
	if len(w.networks) > 0 {
		spare = w.networks[0]
		w.networks = slices.Delete(w.networks, 0, 1)
	}
	w.mu.Unlock()
	if spare != nil {
		if err := ns.Enter(spare, kept(ns.Net)); err != nil {
			spare.Close()
			return nil, err
		}
		return spare, nil
	}
	if err := ns.Unshare(kept(ns.Net)); err != nil {
		return nil, err
	}
	return os.Open("/proc/thread-self/ns/net")
}

// lend notes whose network it is until that process 1 is reaped. One that has
// ended by now may have been reaped already: reap, which waits for the lock,
// would never hear of it, or of another process that has the number next.
func (w *warden) lend(pid int, agent, network *os.File) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if pidfd.EndedHeld(agent) {
		w.spare(network)
		return
	}
	w.agents[pid] = network
}

// giveBack takes the network of a sandbox whose process 1 was reaped: the
// kernel ends that one last, so nobody is in the network any more. It reports
// whether it was one.
func (w *warden) giveBack(pid int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	network := w.agents[pid]
	if network == nil {
		return false
	}
	delete(w.agents, pid)
	w.spare(network)
	return true
}

// spare keeps a network that nobody is in for a sandbox to come. Call it with mu
// held.
func (w *warden) spare(network *os.File) {
	if len(w.networks) < spareNetworks {
		w.networks = append(w.networks, network)
		return
	}
	network.Close()
}

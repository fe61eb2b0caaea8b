package native

import (
	"os"

	"github.com/cellwall/cellwall/linux/ns"
)

// spareNetworks is how many network namespaces the warden keeps for sandboxes
// to come.
const spareNetworks = 64

// takeNetwork puts the calling thread into an empty network namespace: one that
// a dead sandbox had to itself, or a new one. Making and destroying one costs a
// tenth of all that a sandbox costs, and there is nothing in it to inherit: no
// device but a loopback that is down, no right to change that, and no socket,
// because the filter refuses every kind that is not an anonymous pair.
func (w *warden) takeNetwork() (*os.File, error) {
	w.mu.Lock()
	var spare *os.File
	if n := len(w.networks); n > 0 {
		spare, w.networks = w.networks[n-1], w.networks[:n-1]
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

// lend notes whose network it is until that process 1 has ended.
func (w *warden) lend(agent int, network *os.File) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.agents[agent] = network
}

// giveBack takes the network of a sandbox whose process 1 was reaped: the
// kernel reaps that one last, so nobody is in the network any more.
func (w *warden) giveBack(agent int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	network := w.agents[agent]
	delete(w.agents, agent)
	switch {
	case network == nil:
	case len(w.networks) < spareNetworks:
		w.networks = append(w.networks, network)
	default:
		network.Close()
	}
}

package pool

import "github.com/cellwall/cellwall"

// Resize changes how many sandboxes are kept ready. More are opened by the
// filler; those that are too many, the oldest of them, are destroyed in the
// background. It does not wait. Below 0 means 0, and after Close nothing happens.
func (p *Pool) Resize(target int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = max(target, 0)
	if p.closed {
		return
	}
	surplus := len(p.ready) - p.target
	if surplus <= 0 {
		p.fill()
		return
	}
	over := make([]cellwall.Sandbox, surplus)
	copy(over, p.ready)
	clear(p.ready[:surplus])
	p.ready = p.ready[surplus:]
	p.work.Go(func() {
		for _, sb := range over {
			_ = p.close(sb) // counted and logged
		}
	})
}

// Resize is [Pool.Resize] for the pool of each kind, those that come later
// included. A set that was made to keep nothing ready stays so.
func (s *Set) Resize(target int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opts.Pool.Target <= 0 {
		return
	}
	s.opts.Pool.Target = max(target, 1) // 0 would have the next kind opened directly for ever
	for _, p := range s.pools {
		p.Resize(s.opts.Pool.Target)
	}
}

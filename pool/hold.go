package pool

import (
	"errors"
	"sync"

	"github.com/cellwall/cellwall"
)

// Hold destroys what is ready and has nobody served until Release: claims fail
// with CodeLockedDown, those that are opening one themselves included, and
// nothing is opened ahead. It returns when what was ready is gone, with the errors
// of closing joined. Sandboxes that are claimed stay their claimers'. A second
// call, or one after Close, does nothing.
func (p *Pool) Hold() error {
	p.mu.Lock()
	if p.held || p.closed {
		p.mu.Unlock()
		return nil
	}
	p.held = true
	ready := p.ready
	p.ready = nil
	p.work.Add(1) // Close waits for us
	p.mu.Unlock()
	defer p.work.Done()
	return p.closeAll(ready)
}

// Release ends Hold: the filler begins anew.
func (p *Pool) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = false
	p.fill()
}

// refusal is why nothing is handed out, nil when it is. The caller holds mu.
func (p *Pool) refusal() error {
	switch {
	case p.closed:
		return errDraining()
	case p.held:
		return &cellwall.Error{Code: cellwall.CodeLockedDown, Op: "claim sandbox", Err: errors.New("nothing runs until it is unlocked")}
	}
	return nil
}

// Hold is [Pool.Hold] for the pool of each kind, those that come later included,
// and for what is opened without one.
func (s *Set) Hold() error {
	pools := s.hold(true)
	errs := make([]error, len(pools))
	var wg sync.WaitGroup
	for i, p := range pools {
		wg.Go(func() { errs[i] = p.Hold() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Release ends Hold.
func (s *Set) Release() {
	for _, p := range s.hold(false) {
		p.Release()
	}
}

func (s *Set) hold(held bool) []*Pool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = held
	pools := []*Pool{s.direct}
	for _, p := range s.pools {
		pools = append(pools, p)
	}
	return pools
}

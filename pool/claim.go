package pool

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwall/cellwall"
)

// alive is what a sandbox may implement to tell that it died while it waited.
type alive interface{ Alive() bool }

// reserve is which part of Target, as its divisor, is left for those who do not
// have many here already.
const reserve = 4

// openFunc opens a sandbox that nobody used.
type openFunc = func(context.Context) (cellwall.Sandbox, error)

// Claim returns a sandbox that nobody used: a ready one, or one it opens. The
// claimer calls Bind once before Run, and Destroy at the end. It fails with
// CodeDraining after Close, with CodeLockedDown while Hold lasts, and with the backend's error when opening fails.
func (p *Pool) Claim(ctx context.Context) (cellwall.Sandbox, error) {
	return p.claim(ctx, cellwall.Even, p.opts.Open)
}

// claim is Claim with another way to open when none is ready, and perhaps with the
// last ones left for others.
func (p *Pool) claim(ctx context.Context, precedence cellwall.Precedence, open openFunc) (cellwall.Sandbox, error) {
	for {
		sb, err := p.take(precedence)
		if err != nil {
			return nil, err
		}
		if sb == nil {
			return p.openDirectly(ctx, open)
		}
		if a, ok := sb.(alive); ok && !a.Alive() {
			p.count(func(c *Counts) { c.Discarded++ })
			p.Destroy(sb)
			continue
		}
		p.count(func(c *Counts) { c.Claimed++ })
		return sb, nil
	}
}

// take removes the oldest ready sandbox, so that none grows old. The gap is
// filled when the claimer is done, see Destroy, so that the filler does not
// compete with the run that somebody waits for; at once when half of the stock
// is gone. Nil means that none is ready for this one; the caller then owes
// openDirectly.
func (p *Pool) take(precedence cellwall.Precedence) (cellwall.Sandbox, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.refusal(); err != nil {
		return nil, err
	}
	kept := 0
	if precedence == cellwall.Behind {
		kept = p.target / reserve
	}
	if len(p.ready) <= kept {
		p.work.Add(1) // released by openDirectly
		return nil, nil
	}
	sb := p.ready[0]
	p.ready[0] = nil // the array behind the slice must not keep it alive
	p.ready = p.ready[1:]
	if len(p.ready) < (p.target+1)/2 {
		p.fill()
	}
	return sb, nil
}

// openDirectly opens for one claimer. A sandbox that arrives after Close or Hold
// is destroyed.
func (p *Pool) openDirectly(ctx context.Context, open openFunc) (cellwall.Sandbox, error) {
	defer p.work.Done()
	sb, err := open(ctx)
	if err != nil {
		p.count(func(c *Counts) { c.Failed++ })
		return nil, fmt.Errorf("open sandbox: %w", err)
	}
	p.mu.Lock()
	refused := p.refusal()
	if refused == nil {
		p.counts.Claimed++
		p.counts.Direct++
	}
	p.mu.Unlock()
	if refused != nil {
		return nil, errors.Join(refused, p.close(sb))
	}
	return sb, nil
}

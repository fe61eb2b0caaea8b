package pool

import (
	"time"

	"github.com/cellwall/cellwall"
)

// fill starts as many fillers as the gap needs and the bound allows. The
// caller holds mu. Nothing runs while the target is met.
func (p *Pool) fill() {
	if p.closed || p.held || p.pause != nil {
		return
	}
	for p.filling < p.opts.Fillers && len(p.ready)+p.filling < p.target {
		p.filling++
		p.work.Go(p.fillOne)
	}
}

// refill fills what claims have left open.
func (p *Pool) refill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fill()
}

func (p *Pool) fillOne() {
	sb, err := p.opts.Ahead(p.ctx)

	p.mu.Lock()
	p.filling--
	switch {
	case err != nil:
		p.failed(err)
	case p.closed, p.held, len(p.ready) >= p.target:
		// Close, Hold or Resize took the stock already; this one came too late for it.
	default:
		p.failures = 0
		p.ready = append(p.ready, sb)
		sb = nil
		p.fill()
	}
	p.mu.Unlock()

	if err == nil && sb != nil {
		_ = p.close(sb) // counted and logged
	}
}

// failed notes a failure of the filler and pauses it. The caller holds mu.
func (p *Pool) failed(err error) {
	if p.closed {
		return
	}
	p.counts.Failed++
	if p.pause != nil {
		return // another filler failed at the same time
	}
	wait := p.opts.MaxPause
	if p.failures < 16 { // beyond, the shift would overflow before it is capped
		wait = min(wait, p.opts.MinPause<<p.failures)
	}
	p.failures++
	p.opts.Logger.Warn("fill pool", "error", err, "failures", p.failures, "retry_in", wait)
	p.pause = time.AfterFunc(wait, p.resume)
}

func (p *Pool) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pause = nil
	p.fill()
}

// Destroy closes a claimed sandbox in the background and has the gap that it
// left filled. It waits when
// Options.Destroyers are closing already, and closes in the foreground after
// Close.
func (p *Pool) Destroy(sb cellwall.Sandbox) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		_ = p.close(sb) // counted and logged
		return
	}
	p.work.Add(1)
	p.mu.Unlock()
	p.refill()
	p.slots <- struct{}{}
	go func() {
		defer p.work.Done()
		defer func() { <-p.slots }()
		_ = p.close(sb) // counted and logged
	}()
}

func (p *Pool) close(sb cellwall.Sandbox) error {
	err := sb.Close()
	p.count(func(c *Counts) {
		c.Destroyed++
		if err != nil {
			c.CloseFailed++
		}
	})
	if err != nil {
		p.opts.Logger.Error("destroy sandbox", "error", err)
	}
	return err
}

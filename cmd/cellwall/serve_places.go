package main

import (
	"container/list"
	"sync"
	"time"
)

// patient is how long a connection may rest before its place can be given to another
// one: a new one has to be heard first.
const patient = time.Second

// places are those of connections. When all are taken, the connection that has rested
// longest is closed for who comes: one without a request, whether it has not said
// anything yet, or not all, or nothing more.
type places struct {
	now   func() time.Time // of tests, too
	freed chan struct{}    // holds one: the listener, who alone waits, looks again

	mu    sync.Mutex
	left  int
	rests list.List // of *boundedConn, the longest at rest first
}

// rest is what places know of a connection.
type rest struct {
	since    time.Time
	at       *list.Element // nil = it is at work, or gone
	requests int           // HTTP/2 has several
	gone     bool
}

func newPlaces(n int) *places { return &places{now: time.Now, freed: make(chan struct{}, 1), left: n} }

// take waits for a place for c, until end.
func (p *places) take(c *boundedConn, end <-chan struct{}) bool {
	for {
		oldest, wait := p.find(c)
		if oldest == nil && wait == 0 {
			return true
		}
		if oldest != nil {
			oldest.Close() // gives its place back; its server hears of it when it reads on
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-p.freed:
		case <-timer.C:
		case <-end:
			timer.Stop()
			return false
		}
		timer.Stop()
	}
}

// find gives c a place, or says which connection has rested for long enough, or how
// long to wait for one.
func (p *places) find(c *boundedConn) (oldest *boundedConn, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left > 0 {
		p.left--
		p.push(c)
		return nil, 0
	}
	if p.rests.Len() == 0 {
		return nil, time.Hour // somebody tells when there is one
	}
	oldest = p.rests.Front().Value.(*boundedConn)
	if left := patient - p.now().Sub(oldest.rest.since); left > 0 {
		return nil, left
	}
	p.drop(oldest)
	return oldest, 0
}

// give takes the place of c back, once.
func (p *places) give(c *boundedConn) {
	p.mu.Lock()
	if c.rest.gone {
		p.mu.Unlock()
		return
	}
	c.rest.gone = true
	p.drop(c)
	p.left++
	p.mu.Unlock()
	p.tell()
}

// work says that a request has come through c.
func (p *places) work(c *boundedConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.rest.requests++; c.rest.requests == 1 {
		p.drop(c)
	}
}

// pause says that one has been answered.
func (p *places) pause(c *boundedConn) {
	p.mu.Lock()
	full := p.left == 0
	if c.rest.requests--; c.rest.requests == 0 && !c.rest.gone {
		p.push(c)
	}
	p.mu.Unlock()
	if full {
		p.tell()
	}
}

func (p *places) tell() {
	select {
	case p.freed <- struct{}{}:
	default:
	}
}

// push adds c behind those that rest.
func (p *places) push(c *boundedConn) {
	c.rest.since, c.rest.at = p.now(), p.rests.PushBack(c)
}

// drop takes c out of those that rest.
func (p *places) drop(c *boundedConn) {
	if c.rest.at != nil {
		p.rests.Remove(c.rest.at)
		c.rest.at = nil
	}
}

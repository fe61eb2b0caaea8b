package stream

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Options bound buffers. Zero values mean the defaults.
type Options struct {
	Each     int           // bytes of one execution's events; 1 MiB
	Together int           // bytes of all buffers of a shelf whose execution has ended; 64 MiB
	Keep     time.Duration // beyond the end of an execution; 5 minutes
	Patience time.Duration // how long a program waits for a reader; 5 seconds
}

func (o Options) withDefaults() Options {
	if o.Each <= 0 {
		o.Each = 1 << 20
	}
	if o.Together <= 0 {
		o.Together = 64 << 20
	}
	if o.Keep <= 0 {
		o.Keep = 5 * time.Minute
	}
	if o.Patience <= 0 {
		o.Patience = 5 * time.Second
	}
	return o
}

// Shelf keeps the buffers of executions, by id. It is safe for concurrent use.
type Shelf struct {
	opts Options

	mu    sync.Mutex
	kept  map[string]*place
	ended []*place       // in the order in which they ended
	bytes int            // of those that ended
	of    map[string]int // of these, each tenant's
}

// place is where a buffer stands.
type place struct {
	id, tenant string
	buffer     *Buffer
	timer      *time.Timer // nil while the execution runs
}

// NewShelf returns an empty shelf.
func NewShelf(o Options) *Shelf {
	return &Shelf{opts: o.withDefaults(), kept: map[string]*place{}, of: map[string]int{}}
}

// Open makes the buffer of an execution. end is to be called once, when its last
// event is there.
func (s *Shelf) Open(tenant, execution string) (b *Buffer, end func()) {
	b = NewBuffer(s.opts)
	p := &place{id: execution, tenant: tenant, buffer: b}
	b.grown = func(by int) { s.grown(p, by) }
	s.mu.Lock()
	s.kept[execution] = p
	s.mu.Unlock()
	return b, func() { s.end(p) }
}

// Find returns the buffer of a tenant's own execution. It fails with
// CodeNotFound, in the same words for what is another's, for what is gone and
// for what never was.
func (s *Shelf) Find(tenant, execution string) (*Buffer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.kept[execution]; p != nil && p.tenant == tenant {
		return p.buffer, nil
	}
	return nil, &cellwall.Error{
		Code: cellwall.CodeNotFound, Op: "find events", Err: fmt.Errorf("there are none of %w", errNoSuch),
		Hint: "events are kept for " + s.opts.Keep.String() + " after the end; the result longer",
	}
}

var errNoSuch = errors.New("such an execution")

// end starts the time for which the buffer is kept.
func (s *Shelf) end(p *place) {
	size := p.buffer.size()
	s.mu.Lock()
	if s.kept[p.id] != p {
		s.mu.Unlock()
		return
	}
	s.ended = append(s.ended, p)
	p.timer = time.AfterFunc(s.opts.Keep, func() { s.drop(p) })
	s.mu.Unlock()
	s.grown(p, size)
}

// drop takes a buffer off the shelf.
func (s *Shelf) drop(p *place) {
	s.mu.Lock()
	if s.kept[p.id] != p {
		s.mu.Unlock()
		return
	}
	s.remove(p)
	s.mu.Unlock()
	p.buffer.Close()
}

// remove forgets a place that has ended.
func (s *Shelf) remove(p *place) {
	p.timer.Stop()
	delete(s.kept, p.id)
	for i, q := range s.ended {
		if q == p {
			s.ended = append(s.ended[:i], s.ended[i+1:]...)
			break
		}
	}
}

// grown counts the bytes of streams that ended, and gives some up while they are too
// many. One that runs cannot be given up, and is bounded by itself.
func (s *Shelf) grown(p *place, by int) {
	s.mu.Lock()
	if p.timer == nil {
		s.mu.Unlock()
		return
	}
	s.bytes += by
	if s.of[p.tenant] += by; s.of[p.tenant] == 0 {
		delete(s.of, p.tenant)
	}
	var out *place
	if s.bytes > s.opts.Together {
		if out = s.first(); out != nil {
			s.remove(out)
		}
	}
	s.mu.Unlock()
	if out != nil {
		out.buffer.Close() // which comes back here with fewer bytes
	}
}

// first is the stream to give up: the one that ended first of the tenant that holds
// most, so that nobody loses its own to another's.
func (s *Shelf) first() (out *place) {
	for _, p := range s.ended { // in the order in which they ended: of equals the first stays
		if out == nil || s.of[p.tenant] > s.of[out.tenant] {
			out = p
		}
	}
	return out
}

// Close gives everything up; readers hear that it ends.
func (s *Shelf) Close() {
	s.mu.Lock()
	all := make([]*place, 0, len(s.kept))
	for _, p := range s.kept {
		if p.timer != nil {
			p.timer.Stop()
		}
		all = append(all, p)
	}
	s.kept, s.ended = map[string]*place{}, nil
	s.mu.Unlock()
	for _, p := range all {
		p.buffer.Close()
	}
}

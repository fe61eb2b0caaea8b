package main

import (
	"net"
	"testing"
	"time"
)

// ring is a bound of connections that a test opens itself.
type ring struct {
	*testing.T
	places *places
	clock  time.Time
	end    chan struct{}
}

func newRing(t *testing.T, n int) *ring {
	r := &ring{T: t, places: newPlaces(n), clock: time.Now(), end: make(chan struct{})}
	r.places.now = func() time.Time { return r.clock }
	return r
}

// open gives a new connection a place that there must be, at once.
func (r *ring) open() *boundedConn {
	r.Helper()
	here, there := net.Pipe()
	r.Cleanup(func() { there.Close() })
	c := &boundedConn{Conn: here, places: r.places}
	if !r.places.take(c, r.end) {
		r.Fatal("there is no place")
	}
	r.clock = r.clock.Add(time.Second)
	return c
}

func (r *ring) closed(c *boundedConn) bool {
	r.places.mu.Lock()
	defer r.places.mu.Unlock()
	return c.rest.gone
}

func TestPlaces_who_has_rested_longest_makes_room(t *testing.T) {
	r := newRing(t, 3)
	a, b, c := r.open(), r.open(), r.open()
	r.places.work(b) // at work, and twice
	r.places.work(b)
	r.places.pause(b)
	r.places.work(a)
	r.places.pause(a) // now c has rested longer
	r.clock = r.clock.Add(time.Second)
	d := r.open()
	if r.closed(a) || r.closed(b) || !r.closed(c) || r.closed(d) {
		t.Errorf("closed: a %v, b %v, c %v, d %v", r.closed(a), r.closed(b), r.closed(c), r.closed(d))
	}
	e := r.open()
	if !r.closed(a) || r.closed(b) || r.closed(d) || r.closed(e) {
		t.Errorf("then: a %v, b %v, d %v, e %v", r.closed(a), r.closed(b), r.closed(d), r.closed(e))
	}
	c.Close() // its server closes it once more
	if r.places.left != 0 {
		t.Errorf("%d places are left of none", r.places.left)
	}
}

// Who has just come is not closed for who comes next; and a connection at work never.
func TestPlaces_who_is_new_or_at_work_stays(t *testing.T) {
	r := newRing(t, 2)
	a, b := r.open(), r.open()
	r.places.work(a)
	r.places.work(b)
	if oldest, wait := r.places.find(&boundedConn{}); oldest != nil || wait < time.Minute {
		t.Errorf("with both at work: %v, %v", oldest, wait)
	}
	r.places.pause(a)
	r.clock = r.clock.Add(patient / 4)
	if oldest, wait := r.places.find(&boundedConn{}); oldest != nil || wait != patient*3/4 {
		t.Errorf("with one that was at work just now: %v, %v", oldest, wait)
	}
	b.Close()
	if oldest, wait := r.places.find(&boundedConn{}); oldest != nil || wait != 0 {
		t.Errorf("with one that ended: %v, %v", oldest, wait)
	}
	close(r.end)
	if r.places.take(&boundedConn{}, r.end) {
		t.Error("it got a place behind the end")
	}
}

package api

import (
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

// What one tenant may have at once. Each takes a connection, of which there is a bound
// for all, and some of them take it for ever.
const (
	mostCalls   = 2048 // on their way, of all routes that take a key
	mostBodies  = 256  // that have not come to their end
	mostStreams = 64   // of events: of the tenant's, or of an execution
)

// seats are the places of tenants, and the bytes that they have on their way to the
// disk.
type seats struct{ calls, bodies, streams, clients, staged *room }

func newSeats() seats { return seats{newRoom(0), newRoom(0), newRoom(0), newRoom(0), newRoom(0)} }

// sit takes one of the tenant's most places in r.
func sit(r *room, tenant string, most int, what, hint string) error {
	if r.take(tenant, 1, int64(most)) == nil {
		return nil
	}
	return &cellwall.Error{
		Code: cellwall.CodeRateLimited, Op: "answer", Err: fmt.Errorf("the tenant has %d %s already", most, what), Hint: hint, RetryAfter: time.Second,
	}
}

// seat counts a call of a tenant that is known.
func (s *Server) seat(c *call) error {
	err := sit(s.seats.calls, c.who.Tenant, s.opts.Calls, "calls on their way", "send fewer at once")
	c.seated = err == nil
	return err
}

// expect counts a body until it has come to its end, or the call has.
func (s *Server) expect(c *call) error {
	err := sit(s.seats.bodies, c.who.Tenant, mostBodies, "bodies on their way", "send fewer at once")
	c.sends.Store(err == nil)
	return err
}

// came ends what expect began.
func (s *Server) came(c *call) {
	if c.sends.Swap(false) {
		s.seats.bodies.give(c.who.Tenant, 1)
	}
}

// leave gives back everything that a call has.
func (s *Server) leave(c *call) {
	s.keep(c, 0)
	s.came(c)
	if c.seated {
		s.seats.calls.give(c.who.Tenant, 1)
	}
}

// streaming has do stand for as long as the client listens, in one of the tenant's
// most places.
func streaming(places *room, most int, tenant string, do func() error) error {
	if err := sit(places, tenant, most, "streams of events", "close one that nobody reads, or ask without a stream"); err != nil {
		return err
	}
	defer places.give(tenant, 1)
	return do()
}

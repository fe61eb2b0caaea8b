package api

import (
	"errors"
	"io"
	"time"

	"github.com/cellwall/cellwall"
)

// The sizes of the memory that a body gets while it comes.
const (
	first = 4 << 10  // before anything has come
	step  = 64 << 10 // as soon as that is full
)

// nextSize is how much memory a body gets that has filled what it had. One that said
// how long it is gets eight times as much, up to that length: what is announced and
// does not come holds little, and what is thrown away on the way is an eighth of the
// whole. announced 0 = it did not say.
func nextSize(had, announced int64) int64 {
	size := 2 * had
	if had < announced {
		size = 8 * had
	}
	switch {
	case had == 0:
		size = first
	case had < step:
		size = step
	}
	if announced > 0 && had <= announced && size >= announced {
		size = announced + 1 // one more, to see that it ends
	}
	return size
}

// readHeld reads a body into memory that all calls share a bound of.
func (s *Server) readHeld(c *call, r io.Reader, announced int64) ([]byte, error) {
	var buf []byte
	for {
		if len(buf) == cap(buf) {
			size := nextSize(int64(cap(buf)), announced)
			if err := s.holdMore(c, size-int64(cap(buf))); err != nil {
				return nil, err
			}
			buf = append(make([]byte, 0, size), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// holdMore gives a call n bytes more of the memory for bodies.
func (s *Server) holdMore(c *call, n int64) error {
	err := s.bodies.take(c.who.Tenant, n, s.bodyShare)
	switch {
	case err == nil:
		c.held.Add(n)
		return nil
	case errors.Is(err, errShare):
		return &cellwall.Error{
			Code: cellwall.CodeRateLimited, Op: "read body", Err: errors.New("the tenant's requests that are being read are too large together"),
			Hint: "send fewer large requests at once; data files go to /v1/datasets", RetryAfter: time.Second,
		}
	}
	return &cellwall.Error{
		Code: cellwall.CodeBusy, Op: "read body", Err: errors.New("too many requests are being read"),
		Hint: "try again in a moment", RetryAfter: time.Second,
	}
}

// keep gives the memory of a call's body back but for n bytes: what lives on of it
// when it has been decoded.
func (s *Server) keep(c *call, n int64) {
	n = min(n, c.held.Load()) // it only ever shrinks
	s.bodies.give(c.who.Tenant, c.held.Swap(n)-n)
	if c.whole != nil {
		c.whole.all, c.whole.at = nil, 0
	}
}

// shareOf is how much of room for bodies one tenant may have: an eighth, and at least
// as much as the largest body needs.
func shareOf(held int64) int64 {
	share := held / 8
	for _, r := range routes {
		share = max(share, r.body+step)
	}
	return share
}

// heldBody is a body in memory. Its room is given back when it has been read.
type heldBody struct {
	s   *Server
	c   *call
	all []byte
	at  int
}

func (b *heldBody) Read(p []byte) (int, error) {
	if b.at == len(b.all) {
		b.s.keep(b.c, 0)
		return 0, io.EOF
	}
	n := copy(p, b.all[b.at:])
	b.at += n
	return n, nil
}

func (b *heldBody) Close() error { return nil }

// bytes is all of it; nil when there is no body, or not in memory.
func (b *heldBody) bytes() []byte {
	if b == nil {
		return nil
	}
	return b.all
}

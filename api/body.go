package api

import (
	"fmt"
	"net/http"

	"github.com/cellwall/cellwall"
)

// take bounds the body of a request, and reads it whole unless the route does
// that itself.
func (s *Server) take(w *answer, r *http.Request, c *call) error {
	bound := s.bodyBound(c)
	if r.ContentLength > bound {
		return tooLong(bound)
	}
	if r.Body == nil || r.ContentLength == 0 {
		r.Body = http.NoBody
		return nil
	}
	if err := s.expect(c); err != nil {
		return err
	}
	paced := &pacedBody{
		body: http.MaxBytesReader(w.ResponseWriter, r.Body, bound), bound: bound, size: r.ContentLength,
		connection: http.NewResponseController(w.ResponseWriter), answer: w.Header(), until: c.began.Add(s.opts.BodyPatience), patience: s.opts.BodyPatience,
		end: func() { s.came(c) },
	}
	r.Body = paced
	if c.route.is(pieces) {
		return nil
	}
	body, err := s.readHeld(c, paced, min(max(r.ContentLength, 0), bound))
	if err != nil {
		return err
	}
	c.whole = &heldBody{s: s, c: c, all: body}
	r.Body = c.whole
	return nil
}

// bodyBound is how long a body may be.
func (s *Server) bodyBound(c *call) int64 {
	bound := c.route.body
	if c.route.is(tenant) {
		bound = max(bound, s.inputBytes(c.who)+cellwall.MiB) // room for the parts around the files
	}
	return bound
}

// inputBytes is how much data one request of who may bring.
func (s *Server) inputBytes(who cellwall.Identity) int64 {
	t, err := s.opts.Keys.Tenant(who.Tenant)
	if err == nil && t.Terms.Ceiling.InputBytes > 0 {
		return t.Terms.Ceiling.InputBytes
	}
	return cellwall.DefaultLimits().InputBytes
}

func tooLong(bound int64) error {
	return &cellwall.Error{
		Code: cellwall.CodeTooLarge, Op: "read body", Err: fmt.Errorf("it has more than %d bytes", bound),
		Hint: "send less; a data file goes to /v1/datasets",
	}
}

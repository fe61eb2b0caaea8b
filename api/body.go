package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

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
	paced := &pacedBody{
		body: http.MaxBytesReader(w.ResponseWriter, r.Body, bound), bound: bound, size: r.ContentLength,
		connection: http.NewResponseController(w.ResponseWriter), answer: w.Header(), began: c.began, patience: s.opts.BodyPatience,
	}
	r.Body = paced
	if c.route.is(pieces) {
		return nil
	}
	body, err := s.readHeld(c, paced, min(max(r.ContentLength, 0), bound))
	if err != nil {
		return err
	}
	c.body = body
	r.Body = io.NopCloser(bytes.NewReader(body))
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

// step is how much memory a body asks for at a time.
const step = 64 << 10

// readHeld reads a body into memory that all calls share a bound of.
func (s *Server) readHeld(c *call, r io.Reader, announced int64) ([]byte, error) {
	buf := make([]byte, 0, min(announced+1, step))
	for {
		if int64(cap(buf)) > c.held {
			more := int64(cap(buf)) - c.held
			if s.shut.Add(more) > s.opts.Held {
				s.shut.Add(-more) // what was refused takes no room from who comes next
				return nil, &cellwall.Error{
					Code: cellwall.CodeBusy, Op: "read body", Err: errors.New("too many requests are being read"),
					Hint: "try again in a moment", RetryAfter: time.Second,
				}
			}
			c.held += more
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, err
		case len(buf) == cap(buf):
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// pacedBody ends a client that sends too slowly, and says in our words why a
// body could not be read.
type pacedBody struct {
	body       io.ReadCloser
	bound      int64
	size       int64 // -1 = not announced
	connection *http.ResponseController
	answer     http.Header
	began      time.Time
	patience   time.Duration
	got        int64
	until      time.Time
	ended      bool
}

// A body may take Options.BodyPatience, and a second more for each slowest bytes.
const (
	bodyPatience = 20 * time.Second
	slowest      = 16 << 10
)

func (b *pacedBody) Read(p []byte) (int, error) {
	if b.ended {
		return b.body.Read(p)
	}
	b.pace()
	n, err := b.body.Read(p)
	b.got += int64(n)
	if err != nil || b.got == b.size {
		b.ended = true
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.answer.Set("Connection", "close") // else net/http would wait for the rest
		return n, b.explain(err)
	}
	if b.ended {
		_ = b.connection.SetReadDeadline(time.Time{}) // else it would end the run as a client that has gone
	}
	return n, err
}

func (b *pacedBody) pace() {
	until := b.began.Add(b.patience + time.Duration(b.got/slowest)*time.Second)
	if until.Sub(b.until) >= time.Second {
		b.until = until
		_ = b.connection.SetReadDeadline(until) // a recorder in a test has none
	}
}

// explain puts the error of a read into words.
func (b *pacedBody) explain(err error) error {
	var long *http.MaxBytesError
	var timeout net.Error
	switch {
	case errors.As(err, &long):
		return tooLong(b.bound)
	case errors.As(err, &timeout) && timeout.Timeout():
		return wrong(http.StatusRequestTimeout, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "read body", Err: errors.New("it came too slowly"),
			Hint: fmt.Sprintf("send at least %d KiB in a second, or upload in pieces", slowest>>10),
		})
	case errors.Is(err, context.Canceled):
		return err
	}
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "read body", Err: errors.New("it ended early or is damaged")}
}

func (b *pacedBody) Close() error { return b.body.Close() }

func tooLong(bound int64) error {
	return &cellwall.Error{
		Code: cellwall.CodeTooLarge, Op: "read body", Err: fmt.Errorf("it has more than %d bytes", bound),
		Hint: "send less; a data file goes to /v1/datasets",
	}
}

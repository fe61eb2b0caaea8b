package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cellwall/cellwall"
)

// call is one request on its way.
type call struct {
	id       string
	route    *route // nil: there is none
	who      cellwall.Identity
	began    time.Time
	whole    *heldBody          // read whole, unless the route reads in pieces
	held     atomic.Int64       // bytes of Server.bodies that are its own
	seated   bool               // counted as one of its tenant's
	sends    atomic.Bool        // its body is counted as on its way
	reserved string             // execution id of its Idempotency-Key, "" without one
	code     cellwall.ErrorCode // of the problem that it is answered with
	ran      atomic.Bool        // its record is the controller's
	watched  func(Call)
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	if c == nil {
		return &call{}
	}
	return c
}

// callerOf returns on whose behalf a handler works.
func callerOf(ctx context.Context) cellwall.Identity { return callOf(ctx).who }

// callID returns the id of the call, for records and logs.
func callID(ctx context.Context) string { return callOf(ctx).id }

// CallID returns the id of the call that ctx belongs to, for records; "" = none.
func CallID(ctx context.Context) string { return callID(ctx) }

// reservedID returns the execution id that the call's idempotency key stands
// for; "" without one.
func reservedID(ctx context.Context) string { return callOf(ctx).reserved }

// newID returns the id of what a call makes. That of a call with an idempotency key
// is the same at each try, so that a try after the death of a service finds what that
// one has made, and makes no second.
func newID(ctx context.Context, prefix string) string {
	return cellwall.IDFor(prefix, reservedID(ctx))
}

// ServeHTTP takes one request through the checks, in the order of doc.go.
func (s *Server) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	c := &call{id: requestID(r), began: time.Now()}
	w := &answer{ResponseWriter: rw}
	w.prepare(c.id)
	w.before = func(status int) { s.note(r, c, status) }
	ctx := r.Context()
	if s.opts.Watch != nil {
		ctx, c.watched = s.opts.Watch(w.Header(), r)
	}
	r = r.WithContext(context.WithValue(ctx, callKey{}, c))
	defer s.end(w, r, c)
	c.route = s.resolve(r)
	if c.route == nil {
		s.refuse(w, r, s.nowhere(w, r))
		return
	}
	next, err := s.admit(w, r, c)
	switch {
	case err != nil:
		s.refuse(w, r, err)
	case next != nil:
		s.answerOnce(w, next, c)
	}
}

// resolve finds the row of a request. A path that the mux would lead to another
// one, with a slash at its end, is not there.
func (s *Server) resolve(r *http.Request) *route {
	if !clean(r.URL.Path) {
		return nil
	}
	_, pattern := s.mux.Handler(r)
	row := s.patterns[pattern]
	if row != nil && strings.Count(row.path, "/") > strings.Count(r.URL.Path, "/") {
		return nil
	}
	return row
}

// admit decides whether a request may go on to its handler, and reads its body.
func (s *Server) admit(w *answer, r *http.Request, c *call) (*http.Request, error) {
	if c.route.scope != "" {
		if err := s.identify(r, c); err != nil {
			return nil, err
		}
		if err := s.opts.Keys.Take(c.who); err != nil {
			return nil, err
		}
		if err := s.seat(c); err != nil {
			return nil, err
		}
	}
	if err := s.checkQuery(r, c.route); err != nil {
		return nil, err
	}
	if err := s.gate(c.route); err != nil {
		return nil, err
	}
	return r, s.take(w, r, c)
}

// gate refuses what must not happen now.
func (s *Server) gate(r *route) error {
	if s.opts.Gate == nil || !r.is(work) && !r.is(ends) {
		return nil
	}
	err := s.opts.Gate()
	if r.is(ends) && cellwall.CodeOf(err) != cellwall.CodeLockedDown {
		return nil
	}
	return err
}

// end answers what panicked.
func (s *Server) end(w *answer, r *http.Request, c *call) {
	defer s.over(w, r, c) // also when it panics on
	if p := recover(); p != nil {
		if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(p)
		}
		s.opts.Logger.Error("a handler panicked", "request_id", c.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		if !w.begun() {
			s.refuse(w, r, fmt.Errorf("panic: %v", p))
		} else {
			defer panic(http.ErrAbortHandler) // half an answer must not look whole
		}
	}
}

func (r *route) name() string {
	if r == nil {
		return "none"
	}
	return r.id
}

// requestID returns the caller's own id where it can stand in a header, a log
// and a record without harm, else a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" && len(id) <= 64 && strings.Trim(id, idCharacters) == "" {
		return id
	}
	return cellwall.NewID(cellwall.PrefixCall)
}

const idCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// clean reports whether a path says what it means: no dots, no empty parts, text
// without NUL. Another one names nothing, and is not led to what it may have meant.
func clean(p string) bool {
	return strings.HasPrefix(p, "/") && path.Clean(p) == strings.TrimSuffix(p, "/") && plainText([]string{p}) || p == "/"
}

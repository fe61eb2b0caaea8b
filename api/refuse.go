package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// refuse answers with a problem document.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	c := callOf(r.Context())
	if unread(r) {
		w.Header().Set("Connection", "close") // what is still on its way is not waited for
	}
	p := s.fault(r.Context(), err)
	if c.route != nil && c.route.is(foreign) {
		p.headers(w.Header())
		_ = writeJSON(w, p.Status, foreignDetail(p)) // never fails
		return
	}
	p.write(w)
}

// fault puts the error of a call into words. What is our own fault is logged here,
// once, with the cause that the client does not get. A client that closes its half
// of the connection counts as one that left, and what was broken off for that is no
// fault.
func (s *Server) fault(ctx context.Context, err error) Problem {
	c := callOf(ctx)
	p := s.problem(err, c.id)
	c.code = p.Code
	switch {
	case p.Code != cellwall.CodeInternal:
	case ctx.Err() == nil:
		s.opts.Logger.Error("call failed", "request_id", c.id, "route", c.route.name(), "error", err)
	default:
		s.opts.Logger.Debug("the client left", "request_id", c.id, "error", err)
		return ProblemOf(&cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "answer", Err: errors.New("the connection was closed before the answer"),
			Hint: "keep both halves open until the answer has come",
		}, c.id)
	}
	return p
}

// unread reports whether a body has not come to its end.
func unread(r *http.Request) bool {
	paced, ok := r.Body.(*pacedBody)
	return ok && !paced.ended || !ok && r.ContentLength != 0 && callOf(r.Context()).whole == nil
}

// problem puts err into words for a client.
func (s *Server) problem(err error, id string) Problem {
	var wrong *wrongRequest
	switch {
	case errors.As(err, &wrong):
		p := ProblemOf(wrong.err, id)
		p.Status = wrong.status
		return p
	case errors.Is(err, context.DeadlineExceeded) && cellwall.CodeOf(err) == cellwall.CodeInternal:
		return ProblemOf(&cellwall.Error{
			Code: cellwall.CodeBusy, Op: "answer", Err: errors.New("it took too long"), RetryAfter: time.Second,
		}, id)
	}
	return ProblemOf(err, id)
}

// wrongRequest is a bad request whose status says more than 400.
type wrongRequest struct {
	err    *cellwall.Error
	status int
}

func (e *wrongRequest) Error() string { return e.err.Error() }
func (e *wrongRequest) Unwrap() error { return e.err }

func wrong(status int, err *cellwall.Error) error { return &wrongRequest{err, status} }

func (p Problem) write(w http.ResponseWriter) {
	h := w.Header()
	p.headers(h)
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	h.Del("Etag")
	h.Del("Content-Disposition")
	w.WriteHeader(p.Status)
	encode(w, p)
}

// headers sets what a problem says outside of its document.
func (p Problem) headers(h http.Header) {
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.FormatInt(int64((p.RetryAfter+time.Second-1)/time.Second), 10))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("Www-Authenticate", `Bearer realm="cellwall"`)
	}
}

// encode writes v as JSON for programs. What cannot be written has no reader.
func encode(w http.ResponseWriter, v any) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

// nowhere is the error of a path or a method that there is not.
func (s *Server) nowhere(w http.ResponseWriter, r *http.Request) error {
	var others []string
	for _, method := range []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"} {
		other := *r
		if other.Method = method; s.resolve(&other) != nil {
			others = append(others, method)
		}
	}
	if allow := strings.Join(others, ", "); allow != "" {
		w.Header().Set("Allow", allow)
		return wrong(http.StatusMethodNotAllowed, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "choose method", Err: errors.New(r.Method + " is not for this path"),
			Hint: "use " + allow,
		})
	}
	return &cellwall.Error{
		Code: cellwall.CodeNotFound, Op: "choose route", Err: errors.New("there is no such path"),
		Hint: "/docs lists all of them",
	}
}

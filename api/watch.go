package api

import (
	"log/slog"
	"net/http"
	"time"
)

// Call is one request that was answered, for who counts and traces. It holds
// nothing that a client wrote but a method, and an id where that can do no harm.
type Call struct {
	ID     string // X-Request-Id
	Route  string // the pattern of its path; "" = it met none
	Method string
	Tenant string // "" = the caller was not known
	Status int
	Took   time.Duration
}

// over gives the memory of a call back and tells that it was answered: who
// watches, and the log, one line for each.
func (s *Server) over(w *answer, r *http.Request, c *call) {
	s.leave(c)
	done := Call{ID: c.id, Method: r.Method, Tenant: c.who.Tenant, Status: w.code(), Took: time.Since(c.began)}
	if c.route != nil {
		done.Route = c.route.path
	}
	if c.watched != nil {
		c.watched(done)
	}
	method := done.Method
	if c.route == nil { // whatever the client made up
		method = ""
	}
	s.opts.Logger.LogAttrs(r.Context(), c.route.level(done.Status), "call", slog.String("request_id", done.ID), slog.String("method", method),
		slog.String("route", c.route.name()), slog.String("tenant", done.Tenant), slog.Int("status", done.Status), slog.Duration("took", done.Took))
}

// level is how much a call matters: those that ask every few seconds whether all
// is well would drown the others.
func (r *route) level(status int) slog.Level {
	if r != nil && r.tag == "service" && (status < 400 || status == http.StatusServiceUnavailable) {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

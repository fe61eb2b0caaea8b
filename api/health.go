package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// verdict says yes or no, and nothing else: strangers may ask.
type verdict struct {
	OK bool `json:"ok"`
}

func (s *Server) registerHealth() {
	document := func(op *huma.Operation) {
		responds(op, http.StatusOK, "Yes", "application/json", schemaOf[verdict](s))
	}
	raw(s, "health", s.getHealth, document)
	raw(s, "ready", s.getReady, func(op *huma.Operation) {
		document(op)
		responds(op, http.StatusServiceUnavailable, "No", "application/json", schemaOf[verdict](s))
	})
}

func (s *Server) getHealth(w http.ResponseWriter, _ *http.Request) error {
	say(w, http.StatusOK)
	return nil
}

// readyPatience is how long readiness may be looked for.
const readyPatience = 5 * time.Second

func (s *Server) getReady(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), readyPatience)
	defer cancel()
	if err := s.notReady(ctx); err != nil {
		s.opts.Logger.Debug("not ready", "error", err)
		say(w, http.StatusServiceUnavailable)
		return nil
	}
	say(w, http.StatusOK)
	return nil
}

// notReady is why no work would begin now.
func (s *Server) notReady(ctx context.Context) error {
	var errs []error
	if s.opts.Gate != nil {
		errs = append(errs, s.opts.Gate())
	}
	if s.opts.Ready != nil {
		errs = append(errs, s.opts.Ready(ctx))
	}
	return errors.Join(errs...)
}

func say(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encode(w, verdict{OK: status == http.StatusOK})
}

// notThere is the error of a route whose room is not wired.
func notThere(what string) error {
	return &cellwall.Error{Code: cellwall.CodeNotFound, Op: "find " + what, Err: errors.New("this service keeps none")}
}

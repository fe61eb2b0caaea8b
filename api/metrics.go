package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// registerMetrics serves figures of the whole service: they need a key of the
// operator with the scope audit. A tenant would read from them what the others do.
func (s *Server) registerMetrics() {
	if s.opts.Metrics == nil {
		return
	}
	raw(s, "metrics", s.getMetrics, func(op *huma.Operation) {
		responds(op, http.StatusOK, "Prometheus' text format", "text/plain", &huma.Schema{Type: "string"})
	})
}

func (s *Server) getMetrics(w http.ResponseWriter, r *http.Request) error {
	if err := s.operator(r.Context()); err != nil {
		return err
	}
	s.opts.Metrics.ServeHTTP(w, r)
	return nil
}

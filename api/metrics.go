package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// registerMetrics serves figures of the whole service: they need a key with the
// scope audit.
func (s *Server) registerMetrics() {
	if s.opts.Metrics == nil {
		return
	}
	raw(s, "metrics", s.getMetrics, func(op *huma.Operation) {
		responds(op, http.StatusOK, "Prometheus' text format", "text/plain", &huma.Schema{Type: "string"})
	})
}

func (s *Server) getMetrics(w http.ResponseWriter, r *http.Request) error {
	s.opts.Metrics.ServeHTTP(w, r)
	return nil
}

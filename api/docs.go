package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

func (s *Server) registerDocs() {
	raw(s, "openapi", s.getDocument, func(op *huma.Operation) {
		responds(op, http.StatusOK, "OpenAPI 3.1", "application/json", &huma.Schema{Type: "object"})
	})
	raw(s, "docs", s.getPage, func(op *huma.Operation) {
		responds(op, http.StatusOK, "A page", "text/html", &huma.Schema{Type: "string"})
	})
}

func (s *Server) getDocument(w http.ResponseWriter, r *http.Request) error {
	return constant(w, r, "application/json", s.document)
}

// getPage serves a page that needs nothing from elsewhere and runs no script.
func (s *Server) getPage(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return constant(w, r, "text/html; charset=utf-8", s.page)
}

// constant answers with what is the same for everybody while the server runs.
func constant(w http.ResponseWriter, r *http.Request, media string, content []byte) error {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-cache")
	if fresh(w, r, etag(content)) {
		return nil
	}
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(content)
	return ignoreGone(err)
}

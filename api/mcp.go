package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// MCP serves clients of the Model Context Protocol over streamable HTTP. Package mcp
// has it. An error is returned when nothing has been written yet.
type MCP interface {
	Serve(w http.ResponseWriter, r *http.Request, who cellwall.Identity) error
}

func (s *Server) registerMCP() {
	if s.opts.MCP == nil {
		return
	}
	serve := func(w http.ResponseWriter, r *http.Request) error {
		return s.opts.MCP.Serve(w, r, callerOf(r.Context()))
	}
	raw(s, "mcpPost", serve, func(op *huma.Operation) {
		takes(op, "application/json", &huma.Schema{Description: "A message of JSON-RPC 2.0"})
		responds(op, http.StatusOK, "Its answer", "application/json", &huma.Schema{})
		responds(op, http.StatusOK, "", "text/event-stream", &huma.Schema{Type: "string"})
		responds(op, http.StatusAccepted, "It was heard, and has no answer", "", nil)
		mcpFacts(op)
	})
	listen := func(w http.ResponseWriter, r *http.Request) error {
		return streaming(s.seats.clients, s.opts.MCPStreams, callerOf(r.Context()).Tenant, func() error { return serve(w, r) })
	}
	raw(s, "mcpGet", s.whileAllowed(listen), func(op *huma.Operation) {
		responds(op, http.StatusOK, "What the server says unasked, as it happens", "text/event-stream", &huma.Schema{Type: "string"})
		mcpFacts(op)
	})
	raw(s, "mcpDelete", serve, func(op *huma.Operation) {
		responds(op, http.StatusNoContent, "The session has ended", "", nil)
		mcpFacts(op)
	})
}

// mcpFacts documents what the routes of MCP share: headers and a query, and refusals
// in the protocol's own words beside ours.
func mcpFacts(op *huma.Operation) {
	text := &huma.Schema{Type: "string", MaxLength: ptr(64)}
	op.Parameters = append(op.Parameters,
		&huma.Param{Name: "Mcp-Session-Id", In: "header", Schema: text, Description: "As initialize was answered"},
		&huma.Param{Name: "session", In: "query", Schema: text, Description: "Id of a session of /v1/sessions to work in"},
		&huma.Param{Name: "dataset", In: "query", Schema: &huma.Schema{Type: "array", Items: text}, Description: "Ids of datasets to work on; the first is df"},
		&huma.Param{Name: "tools", In: "query", Schema: &huma.Schema{Type: "string", Enum: []any{"offered", "all"}}, Description: "all: list every tool at once"})
	for _, media := range []string{"text/plain", "application/json"} {
		op.Responses["4XX"].Content[media] = &huma.MediaType{Schema: &huma.Schema{}}
	}
}

package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api/stream"
)

// Events are what happened to tenants. Package notify has them.
type Events interface {
	// Events lists up to n behind after, oldest first.
	Events(ctx context.Context, tenant string, after uint64, n int) ([]cellwall.Happening, error)
	// Next is Events that waits until there are some.
	Next(ctx context.Context, tenant string, after uint64, n int) ([]cellwall.Happening, error)
}

func (s *Server) registerEvents() {
	if s.opts.Events == nil {
		return
	}
	raw(s, "listEvents", s.listEvents, func(op *huma.Operation) {
		op.Parameters = append(op.Parameters,
			&huma.Param{Name: "after", In: "query", Schema: &huma.Schema{Type: "integer", Minimum: ptr(0.0)}, Description: "seq of the last event that was heard"},
			&huma.Param{Name: "limit", In: "query", Schema: &huma.Schema{Type: "integer", Minimum: ptr(1.0), Maximum: ptr(200.0)}, Description: "How many at most"},
			&huma.Param{
				Name: "Last-Event-ID", In: "header", Schema: &huma.Schema{Type: "string", Pattern: "^[0-9]*$"},
				Description: "Of a stream: the same as after",
			})
		responds(op, http.StatusOK, "What is kept, oldest first; with Accept: text/event-stream, and what comes", "application/json", schemaOf[eventList](s))
		responds(op, http.StatusOK, "", "text/event-stream", eventStream())
	})
}

// eventList is a part of what happened.
type eventList struct {
	Items []cellwall.Happening `json:"items"`
	Next  uint64               `json:"next" doc:"What after takes for what comes behind"`
}

const eventPage = 50

// listEvents gives what happened behind after; as a stream it goes on for ever.
func (s *Server) listEvents(w http.ResponseWriter, r *http.Request) error {
	after, limit, err := eventQuery(r)
	if err != nil {
		return err
	}
	tenant := callerOf(r.Context()).Tenant
	if wantsEvents(r) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.apart.stopped, cancel)()
		return s.followStream(ctx, w, r, happenings{s.opts.Events, tenant}, after)
	}
	list, err := s.opts.Events.Events(r.Context(), tenant, after, limit)
	if err != nil {
		return err
	}
	out := eventList{Items: []cellwall.Happening{}, Next: after}
	for _, h := range list {
		out.Items, out.Next = append(out.Items, h), h.Seq
	}
	return writeJSON(w, http.StatusOK, out)
}

// eventQuery reads where to begin, and how much to give.
func eventQuery(r *http.Request) (after uint64, limit int, err error) {
	if after, err = stream.After(r); err != nil {
		return 0, 0, err
	}
	limit = eventPage
	for name, values := range r.URL.Query() {
		n, err := strconv.ParseUint(values[0], 10, 63)
		switch {
		case err != nil:
			return 0, 0, invalidQuery(name, "expected number")
		case name == "limit" && (n < 1 || n > 200):
			return 0, 0, invalidQuery(name, "expected 1 to 200")
		case name == "after":
			after = max(after, n)
		default:
			limit = int(n)
		}
	}
	return after, limit, nil
}

// happenings is a tenant's stream of events.
type happenings struct {
	events Events
	tenant string
}

// Reader begins behind an event; 0 = with the oldest that is kept.
func (h happenings) Reader(after uint64) stream.Reader { return &happeningReader{h, after} }

type happeningReader struct {
	happenings
	after uint64
}

func (r *happeningReader) Next(ctx context.Context) ([]stream.Event, error) {
	list, err := r.events.Next(ctx, r.tenant, r.after, eventPage)
	if err != nil {
		return nil, err
	}
	out := make([]stream.Event, 0, len(list))
	for _, h := range list {
		data, err := json.Marshal(h)
		if err != nil {
			return nil, err
		}
		out = append(out, stream.Event{ID: h.Seq, Kind: h.Kind, Data: data})
		r.after = h.Seq
	}
	return out, nil
}

func (r *happeningReader) Close() {}

package api

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// RecordedCall is the record of a call that the controller has none of: what was
// refused, what changed something, what handed data out.
type RecordedCall struct {
	V        int                `json:"v"`    // 1
	Kind     string             `json:"kind"` // "call", or "refused_call"
	Call     string             `json:"request_id,omitempty"`
	At       time.Time          `json:"at"`
	Identity cellwall.Identity  `json:"identity"`
	Method   string             `json:"method,omitempty"`
	Route    string             `json:"route,omitempty"`  // "" = there is none
	Target   string             `json:"target,omitempty"` // the id in the path
	Status   int                `json:"status_code"`
	Code     cellwall.ErrorCode `json:"code,omitempty"`
	Count    int                `json:"count"` // calls that this stands for
}

// calls writes the records. Of refusals that are alike, the first in a second is
// written before it is answered, and the others are counted into one record:
// nobody can fill the disk by knocking.
type calls struct {
	recorder Recorder
	log      *slog.Logger

	mu    sync.Mutex
	alike map[refusalKind]*RecordedCall // what came since the first one, within a second
	timer *time.Timer
}

// refusalKind is what refusals have in common. Nothing of it is a client's own
// text, so that there are never many.
type refusalKind struct {
	tenant, key, route, method string
	status                     int
	code                       cellwall.ErrorCode
}

// aggregate is how long refusals that are alike are counted into one record.
const aggregate = time.Second

func newCalls(r Recorder, l *slog.Logger) *calls {
	return &calls{recorder: r, log: l, alike: map[refusalKind]*RecordedCall{}}
}

// note records a call before the first byte of its answer is sent, unless the
// controller has or will.
func (s *Server) note(r *http.Request, c *call, status int) {
	open := c.route != nil && c.route.scope == "" && !c.route.is(ticket)
	if open || c.ran.Load() {
		return
	}
	entry := RecordedCall{
		V: 1, Kind: "call", Call: c.id, At: c.began.UTC(), Identity: c.who, Method: r.Method, Status: status, Code: c.code, Count: 1,
	}
	if c.route != nil {
		entry.Route, entry.Target = c.route.path, target(r)
	} else {
		entry.Method = "" // whatever the client made up
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case status >= http.StatusBadRequest:
		entry.Kind = "refused_call"
		s.calls.refused(entry)
	case !reads || c.route.is(data):
		_ = s.calls.write(entry) // what fails is logged
	}
}

// target is the id in the path of a call, as far as it is one of ours.
func target(r *http.Request) string {
	if id := r.PathValue("id"); len(id) <= 64 {
		return id
	}
	return ""
}

// refused records a refusal at once, or counts it.
func (f *calls) refused(entry RecordedCall) {
	who := entry.Identity
	kind := refusalKind{who.Tenant, who.Key, entry.Route, entry.Method, entry.Status, entry.Code}
	f.mu.Lock()
	if more := f.alike[kind]; more != nil {
		more.Count++
		f.mu.Unlock()
		return
	}
	more := entry
	more.Call, more.Target, more.Count = "", "", 0
	f.alike[kind] = &more
	if len(f.alike) == 1 {
		f.timer = time.AfterFunc(aggregate, func() { _ = f.flush() }) // what fails is logged
	}
	f.mu.Unlock()
	_ = f.write(entry) // what fails is logged
}

// flush writes what has been counted.
func (f *calls) flush() error {
	f.mu.Lock()
	counted := f.alike
	f.alike = map[refusalKind]*RecordedCall{}
	if f.timer != nil {
		f.timer.Stop()
	}
	f.mu.Unlock()
	var failed error
	for _, entry := range counted {
		if entry.Count == 0 {
			continue
		}
		if err := f.write(*entry); err != nil {
			failed = err
		}
	}
	return failed
}

// write records one entry. A refusal stays one when it cannot be recorded.
func (f *calls) write(entry RecordedCall) error {
	err := f.recorder.Append(entry.At, entry)
	if err != nil {
		f.log.Error("record a call", "error", err)
	}
	return err
}

// noted is work whose entries the controller writes: before it returns, whatever
// comes of it.
type noted struct{ Work }

// Stream runs code.
func (n noted) Stream(ctx context.Context, req cellwall.Request, sink cellwall.Sink) (*cellwall.Result, error) {
	return marked(ctx, func() (*cellwall.Result, error) { return n.Work.Stream(ctx, req, sink) })
}

// Describe reads a dataset.
func (n noted) Describe(ctx context.Context, req cellwall.Request) (*cellwall.Result, error) {
	return marked(ctx, func() (*cellwall.Result, error) { return n.Work.Describe(ctx, req) })
}

// marked marks the call of ctx as one that the controller records. What fails is
// recorded here as well: it may never have got there.
func marked(ctx context.Context, do func() (*cellwall.Result, error)) (*cellwall.Result, error) {
	c := callOf(ctx)
	c.ran.Store(true)
	result, err := do()
	if err != nil {
		c.ran.Store(false)
	}
	return result, err
}

package api

import (
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// RefusedCall is the record of calls that never got to a controller.
type RefusedCall struct {
	V        int                `json:"v"`    // 1
	Kind     string             `json:"kind"` // "refused_call"
	Call     string             `json:"request_id,omitempty"`
	At       time.Time          `json:"at"`
	Identity cellwall.Identity  `json:"identity"`
	Method   string             `json:"method,omitempty"`
	Route    string             `json:"route,omitempty"`
	Code     cellwall.ErrorCode `json:"code"`
	Count    int                `json:"count"` // calls that this stands for
}

// refusals writes one record for each refusal, but one a second for all calls
// whose key opens nothing: strangers must not fill the disk.
type refusals struct {
	recorder Recorder
	log      *slog.Logger

	mu      sync.Mutex
	since   time.Time
	unknown int
	timer   *time.Timer
}

func newRefusals(r Recorder, l *slog.Logger) *refusals { return &refusals{recorder: r, log: l} }

// add records a call that was turned away with p.
func (f *refusals) add(r *http.Request, p Problem) {
	c := callOf(r.Context())
	switch p.Code {
	case cellwall.CodeUnauthenticated:
		f.count(c.began)
	case cellwall.CodeForbidden, cellwall.CodeTooLarge, cellwall.CodeRateLimited:
		_ = f.write(RefusedCall{ // what fails is logged
			V: 1, Kind: "refused_call", Call: c.id, At: c.began.UTC(), Identity: c.who,
			Method: r.Method, Route: c.route.path, Code: p.Code, Count: 1,
		})
	}
}

// aggregate is how long calls without a key are counted into one record.
const aggregate = time.Second

func (f *refusals) count(at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.unknown++; f.unknown > 1 {
		return
	}
	f.since = at
	f.timer = time.AfterFunc(aggregate, func() { _ = f.flush() }) // what fails is logged
}

// flush writes what has been counted.
func (f *refusals) flush() error {
	f.mu.Lock()
	n, since := f.unknown, f.since
	f.unknown = 0
	if f.timer != nil {
		f.timer.Stop()
	}
	f.mu.Unlock()
	if n == 0 {
		return nil
	}
	return f.write(RefusedCall{V: 1, Kind: "refused_call", At: since.UTC(), Code: cellwall.CodeUnauthenticated, Count: n})
}

// write records one entry. A refusal stays one when it cannot be recorded.
func (f *refusals) write(entry RefusedCall) error {
	err := f.recorder.Append(entry.At, entry)
	if err != nil {
		f.log.Error("record a refused call", "error", err)
	}
	return err
}

package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/cellwall/cellwall"
)

// Source is what has events, from some point on.
type Source interface {
	// Reader begins behind the event of this id; 0 = at the first one.
	Reader(after uint64) Reader
}

// Reader gives the events of a source in order.
type Reader interface {
	// Next waits for the next events. It fails with io.EOF behind the last one,
	// and when ctx ends.
	Next(ctx context.Context) ([]Event, error)
	Close()
}

// Beat is after how long without an event a comment line is sent.
const Beat = 5 * time.Second

// patience is how long a client may take for what was sent to it.
const patience = 15 * time.Second

// After reads the header Last-Event-ID. It fails with CodeBadRequest when that is
// no id of ours.
func After(r *http.Request) (uint64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "read Last-Event-ID", Err: fmt.Errorf("%.40q is no id of an event", text),
			Hint: "send back the number of the last id: line",
		}
	}
	return id, nil
}

// Serve sends the events behind after until the source ends, the client goes
// away, or ctx ends; in the last case, and when the source fails, a client comes
// back by itself. Nothing may have been written to w, and after an error nothing
// has been.
func Serve(ctx context.Context, w http.ResponseWriter, src Source, after uint64) error {
	reader := src.Reader(after)
	defer reader.Close()
	l := line{w: w, ctl: http.NewResponseController(w)}
	defer l.close()
	for {
		events, err := nextWithin(ctx, reader, Beat)
		switch {
		case errors.Is(err, io.EOF):
			if !l.open {
				w.WriteHeader(http.StatusNoContent)
			}
			return nil
		case errors.Is(err, errQuiet):
			if l.comment() != nil {
				return nil
			}
		case ctx.Err() != nil, err != nil && l.open:
			return nil
		case err != nil:
			return err
		case l.send(events) != nil:
			return nil // it went away
		}
	}
}

var errQuiet = errors.New("nothing happened")

// nextWithin is Next that fails with errQuiet after some time.
func nextWithin(ctx context.Context, r Reader, most time.Duration) ([]Event, error) {
	within, cancel := context.WithTimeoutCause(ctx, most, errQuiet)
	defer cancel()
	events, err := r.Next(within)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		return nil, errQuiet
	}
	return events, err
}

// line is the way to one client.
type line struct {
	w    http.ResponseWriter
	ctl  *http.ResponseController
	open bool
	out  []byte
}

func (l *line) send(events []Event) error {
	l.out = l.out[:0]
	for _, e := range events {
		if len(e.Data) <= maxBatch {
			l.out = e.append(l.out)
			continue
		}
		if err := l.large(e); err != nil {
			return err
		}
	}
	return l.write(l.out)
}

// large sends an event without a copy of it: all who follow share one.
func (l *line) large(e Event) error {
	l.out = e.begin(l.out)
	if err := l.write(l.out); err != nil {
		return err
	}
	l.out = append(l.out[:0], "\n\n"...)
	return l.write(e.line())
}

// comment says that the line lives.
func (l *line) comment() error { return l.write([]byte(": \n\n")) }

func (l *line) write(b []byte) error {
	if !l.open {
		l.open = true
		h := l.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // a proxy that collects would hold events back
		l.w.WriteHeader(http.StatusOK)
	}
	if err := l.ctl.SetWriteDeadline(time.Now().Add(patience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := l.w.Write(b); err != nil {
		return err
	}
	if err := l.ctl.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// close lets the connection serve another request.
func (l *line) close() {
	if l.open {
		_ = l.ctl.SetWriteDeadline(time.Time{}) // where it failed there is no deadline
	}
}

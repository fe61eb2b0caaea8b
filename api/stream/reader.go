package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// reader is one client of a Buffer.
type reader struct {
	b     *Buffer
	after uint64 // the last event that was taken, and all before it
	given uint64 // the last event that was handed out
	late  bool   // it was let go
}

// maxBatch is how many bytes of events are handed out at a time.
const maxBatch = 64 << 10

var errLate = errors.New("the reader was too slow")

// Next waits for the next events. What it handed out before counts as taken.
func (r *reader) Next(ctx context.Context) ([]Event, error) {
	for {
		r.b.mu.Lock()
		if r.given > r.after {
			r.after = r.given
			r.b.tell()
		}
		events, err := r.take()
		changed := r.b.changed
		r.b.mu.Unlock()
		if events != nil || err != nil {
			return events, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// take hands out what is there, with a word about what is not there any more.
func (r *reader) take() ([]Event, error) {
	b := r.b
	first := b.next - uint64(len(b.events))
	if r.late {
		return nil, errLate
	}
	var out []Event
	if missing := first - min(first, r.after+1); missing > 0 {
		text, err := json.Marshal(map[string]string{
			"message": fmt.Sprintf("%d events are gone; the result holds what is kept of the output", missing),
		})
		if err != nil {
			return nil, err
		}
		out = append(out, Event{ID: first - 1, Kind: KindWarning, Data: text})
		r.given = first - 1
	}
	size := 0
	for _, e := range b.events {
		if e.ID <= r.after {
			continue
		}
		if size += len(e.Data); size > maxBatch && len(out) > 0 {
			break
		}
		out = append(out, e)
		r.given = e.ID
	}
	if out == nil && b.done {
		return nil, io.EOF
	}
	return out, nil
}

// Close lets the program go on without this reader.
func (r *reader) Close() {
	r.b.mu.Lock()
	defer r.b.mu.Unlock()
	delete(r.b.readers, r)
	r.b.tell()
}

package stream

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Buffer holds the events of one execution for those who read them, now or
// later. It is safe for concurrent use. The zero value is not usable, see
// NewBuffer and Shelf.
type Buffer struct {
	each     int
	patience time.Duration
	grown    func(by int) // hears of each change of size, outside the lock; nil = nobody

	text struct{ stdout, stderr runes } // of the sink alone, whose calls come one at a time

	mu      sync.Mutex
	events  []Event
	next    uint64 // id of the next event
	bytes   int
	done    bool
	readers map[*reader]struct{}
	changed chan struct{} // closed and replaced at each change
}

// NewBuffer returns a buffer that stands on no shelf.
func NewBuffer(o Options) *Buffer {
	o = o.withDefaults()
	return &Buffer{each: o.Each, patience: o.Patience, next: 1, readers: map[*reader]struct{}{}, changed: make(chan struct{})}
}

// Behind is a buffer whose first event comes behind that of this id: what a client
// has heard of the same execution from another buffer.
func Behind(after uint64) *Buffer {
	b := NewBuffer(Options{})
	b.next = after + 1
	return b
}

// Sink is the cellwall.Sink of the execution. It waits for readers as the
// package says, and fails only when its context ends.
func (b *Buffer) Sink(ctx context.Context, e cellwall.Event) error {
	kind, data, err := b.wire(e)
	if err != nil || data == nil {
		return err
	}
	return b.put(ctx, kind, data, false)
}

// Call tells of a call out of the sandbox, beside the sink.
func (b *Buffer) Call(ctx context.Context, c Call) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return b.put(ctx, KindCall, data, false)
}

// Call is a call of one of the caller's own functions.
type Call struct {
	ID        uint64          `json:"id"` // of the execution
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Done ends the stream with the Result, after its warnings.
func (b *Buffer) Done(r *cellwall.Result) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	b.End(data, r.Warnings)
	return nil
}

// End is Done with the Result as JSON.
func (b *Buffer) End(result []byte, warnings []string) {
	b.flush()
	for _, text := range warnings {
		b.say(KindWarning, map[string]string{"message": text})
	}
	_ = b.put(context.Background(), KindDone, result, true) // the background does not end
}

// Fail ends the stream with a problem document: the service failed, and there is
// no Result.
func (b *Buffer) Fail(problem any) {
	b.flush()
	data, err := json.Marshal(problem)
	if err != nil {
		data = []byte("{}")
	}
	_ = b.put(context.Background(), KindProblem, data, true) // the background does not end
}

// Ended reports whether the last event is there.
func (b *Buffer) Ended() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.done
}

func (b *Buffer) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes
}

// put adds an event when there is room.
func (b *Buffer) put(ctx context.Context, kind string, data []byte, last bool) error {
	if !last {
		if err := b.wait(ctx, len(data)); err != nil {
			return err
		}
	}
	b.mu.Lock()
	before := b.bytes
	if b.done {
		b.mu.Unlock()
		return nil
	}
	b.events = append(b.events, Event{ID: b.next, Kind: kind, Data: data})
	b.next++
	b.bytes += len(data)
	for !last && b.bytes > b.each && len(b.events) > 1 {
		b.bytes -= len(b.events[0].Data)
		b.events[0] = Event{}
		b.events = b.events[1:]
	}
	b.done = last
	by := b.bytes - before
	b.tell()
	b.mu.Unlock()
	if b.grown != nil {
		b.grown(by)
	}
	return nil
}

// wait waits until dropping events for n bytes more takes none from a reader
// that is there, or lets the reader go that holds everybody up.
func (b *Buffer) wait(ctx context.Context, n int) error {
	var patience <-chan time.Time
	for {
		b.mu.Lock()
		slow := b.slowest(n)
		changed := b.changed
		b.mu.Unlock()
		if slow == nil {
			return nil
		}
		if patience == nil {
			t := time.NewTimer(b.patience)
			defer t.Stop()
			patience = t.C
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-patience:
			b.mu.Lock()
			delete(b.readers, slow)
			slow.late = true
			b.tell()
			b.mu.Unlock()
			patience = nil
		}
	}
}

// slowest returns a reader that would lose an event if n bytes came.
func (b *Buffer) slowest(n int) *reader {
	over := b.bytes + n - b.each
	for _, e := range b.events {
		if over <= 0 {
			return nil
		}
		for r := range b.readers {
			if r.after < e.ID {
				return r
			}
		}
		over -= len(e.Data)
	}
	return nil
}

// tell wakes everybody who waits for a change.
func (b *Buffer) tell() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// Reader begins behind an event; one that has not come yet is as good as the
// newest.
func (b *Buffer) Reader(after uint64) Reader {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := &reader{b: b, after: min(after, b.next-1)}
	b.readers[r] = struct{}{}
	return r
}

var _ interface {
	Source
	io.Closer
} = (*Buffer)(nil)

// Close makes the buffer forget its events; readers hear that it ends.
func (b *Buffer) Close() error {
	b.mu.Lock()
	by := -b.bytes
	b.events, b.bytes, b.done = nil, 0, true
	b.tell()
	b.mu.Unlock()
	if b.grown != nil {
		b.grown(by)
	}
	return nil
}

package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
)

// stop is why a run is over.
type stop int

const (
	stopEnd       stop = iota // the interpreter is done or gone
	stopDeadline              // the host's clock
	stopCancelled             // the caller went away
	stopIgnored               // an interrupt did not end a cell
)

// maxDocument bounds what is decoded into Go values: a few bytes of JSON can
// become a hundred of memory. The driver's own documents are far smaller.
const maxDocument = 2 << 20

// run is one run under way: three readers that feed one sink in order. Only they
// wait for the sink; who waits for the end of the run never does.
type run struct {
	ctx        context.Context
	s          *sandbox
	exit       *exit // of the interpreter
	base       counters
	notices    []cellwall.Notice // told before anything else
	asked      uint64            // questions of the session before this cell
	heard      []byte            // of a frame that was begun before
	calls      *calls            // nil = nothing can be called
	execution  string
	precedence cellwall.Precedence
	sink       cellwall.Sink
	over       chan stop // buffered; the first stop counts
	streams    [3]*ending
	readers    sync.WaitGroup

	mu       sync.Mutex // guards the rest, and the order of events
	seq      uint64
	written  int64
	overflow bool
	sinkErr  error
	protocol error
	done     *guest.Done
}

func newRun(ctx context.Context, s *sandbox, code cellwall.Code, sink cellwall.Sink) *run {
	return &run{
		ctx: ctx, s: s, exit: s.opened.exit, execution: code.Execution, precedence: code.Precedence,
		sink: sink, over: make(chan stop, 1),
	}
}

func (r *run) stop(why stop) {
	select {
	case r.over <- why:
	default:
	}
}

// read starts the readers. Each ends at the end of its stream, or when finish
// says that nobody writes any more.
func (r *run) read() {
	for i, from := range []stream{r.s.stdout, r.s.stderr, r.s.channel} {
		r.streams[i] = &ending{stream: from}
	}
	r.readers.Go(r.begin)
	r.readers.Go(func() { r.pump(r.streams[0], cellwall.EventStdout) })
	r.readers.Go(func() { r.pump(r.streams[1], cellwall.EventStderr) })
	r.readers.Go(func() { r.frames(io.MultiReader(bytes.NewReader(r.heard), r.streams[2])) })
}

// finish reads what is left, once every writer runs no more.
func (r *run) finish() {
	for _, s := range r.streams {
		s.silence()
	}
	r.readers.Wait()
}

// pause reads what is there and leaves the streams to the next cell: the driver
// has flushed, and others may go on writing.
func (r *run) pause() {
	for _, s := range r.streams {
		s.pause()
	}
	r.readers.Wait()
}

// pump hands on output until more was written than allowed, then only drains.
func (r *run) pump(stream io.Reader, kind cellwall.EventKind) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := stream.Read(buffer)
		if n > 0 {
			r.output(kind, buffer[:n])
		}
		if err != nil {
			return
		}
	}
}

func (r *run) output(kind cellwall.EventKind, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written += int64(len(data))
	if r.written > r.s.limits.OutputBytes && !without(outputLimit) {
		r.overflow = true
		r.stop(stopEnd)
		return
	}
	r.deliver(cellwall.Event{Kind: kind, Data: data})
}

// frames reads what the driver, or whoever speaks in its place, says. A channel
// that ends, between two frames or within one, ends nothing: the code may have
// died, which the kernel tells, or have closed it, or have put another program
// in its own place, which runs to its own end.
func (r *run) frames(channel io.Reader) {
	reader := guest.NewReader(channel)
	for {
		kind, payload, err := reader.Next()
		if err == nil {
			err = r.frame(kind, payload)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return
		}
		if err != nil {
			r.mu.Lock()
			if errors.Is(err, guest.ErrProtocol) {
				r.protocol = err
			}
			r.mu.Unlock()
			r.stop(stopEnd)
			return
		}
		if kind == guest.KindDone {
			r.stop(stopEnd)
			return
		}
	}
}

// frame decodes one frame strictly and hands it on.
func (r *run) frame(kind guest.Kind, payload []byte) error {
	if kind == guest.KindCall {
		r.begin() // who answers has heard of the run
		return r.calls.take(payload)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch kind {
	case guest.KindDone:
		var done guest.Done
		if err := guest.Decode(payload, &done); err != nil {
			return err
		}
		if done.Execution != r.execution {
			return guest.ErrProtocol
		}
		r.done = &done
		r.deliver(cellwall.Event{Kind: cellwall.EventDone})
	case guest.KindValue:
		var value guest.Value
		if err := guest.Decode(payload, &value); err != nil {
			return err
		}
		r.deliver(cellwall.Event{
			Kind: cellwall.EventResult, Rich: &cellwall.Rich{IsMainResult: value.IsMainResult, Data: value.Data},
		})
	case guest.KindError:
		return r.document(cellwall.EventError, payload, &guest.Error{})
	case guest.KindTables:
		return r.document(cellwall.EventTables, payload, &[]guest.Table{})
	case guest.KindNotice:
		return r.document(cellwall.EventNotice, payload, &guest.Notice{})
	case guest.KindDatasets:
		return r.document(cellwall.EventDatasets, payload, &[]json.RawMessage{})
	case guest.KindAnswer:
		return r.late(payload)
	default: // hello and setup-failed have their time before the run
		return guest.ErrProtocol
	}
	return nil
}

// late takes the answer to a question that was given up before this cell.
func (r *run) late(payload []byte) error {
	var answer guest.Answer
	if err := guest.Decode(payload, &answer); err != nil {
		return err
	}
	if answer.ID == 0 || answer.ID > r.asked {
		return guest.ErrProtocol
	}
	return nil
}

// document checks a payload against its shape and hands it on as it is.
func (r *run) document(kind cellwall.EventKind, payload []byte, shape any) error {
	if len(payload) > maxDocument {
		return fmt.Errorf("%w: %s of %d bytes", guest.ErrProtocol, kind, len(payload))
	}
	if err := guest.Decode(payload, shape); err != nil {
		return err
	}
	r.deliver(cellwall.Event{Kind: kind, Data: payload})
	return nil
}

// begin tells that the code was sent, unless a reader was faster.
func (r *run) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started()
}

// started is the first event, whoever comes first, with what is told before
// anything else. Call it with mu held.
func (r *run) started() {
	if r.seq > 0 {
		return
	}
	r.hand(cellwall.Event{Kind: cellwall.EventStarted})
	for _, n := range r.notices {
		if body, err := json.Marshal(n); err == nil {
			r.hand(cellwall.Event{Kind: cellwall.EventNotice, Data: body})
		}
	}
}

// deliver hands on an event that somebody has read. Call it with mu held.
func (r *run) deliver(e cellwall.Event) {
	r.started()
	r.hand(e)
}

// hand numbers an event and waits for the sink. Call it with mu held.
func (r *run) hand(e cellwall.Event) {
	if r.sinkErr != nil || r.sink == nil {
		return
	}
	r.seq++
	e.Seq, e.At, e.Execution = r.seq, time.Now(), r.execution
	if err := r.sink(r.ctx, e); err != nil {
		r.sinkErr = err
		r.stop(stopCancelled)
	}
}

func (r *run) sinkFailed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sinkErr != nil
}

func (r *run) overflowed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.overflow
}

func (r *run) broken() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.protocol
}

func (r *run) word() *guest.Done {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

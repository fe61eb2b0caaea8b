package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api/stream"
)

// wantsEvents reports whether the caller asks for events instead of one answer.
func wantsEvents(r *http.Request) bool {
	for _, one := range strings.Split(r.Header.Get("Accept"), ",") {
		media, _, _ := strings.Cut(one, ";")
		if strings.EqualFold(strings.TrimSpace(media), "text/event-stream") {
			return true
		}
	}
	return false
}

// task is work that a call begins.
type task struct {
	id      string // of the execution
	run     func(context.Context, cellwall.Sink, begin) (*cellwall.Result, error)
	release func() // gives back what run needs
}

// begin is asked before the code of a task is sent, see cellwall.Request; nil = it is.
type begin = func(context.Context) error

// executionTask runs a single execution.
func (s *Server) executionTask(r *http.Request, in *executionInput) (task, error) {
	req, err := s.executionRequest(r, in)
	if err != nil {
		return task{}, err
	}
	req.ID = newID(r.Context(), cellwall.PrefixExecution)
	files := in.detach()
	return task{req.ID, func(ctx context.Context, sink cellwall.Sink, before begin) (*cellwall.Result, error) {
		req.Begin = before
		return s.opts.Work.Stream(ctx, req, sink)
	}, files.close}, nil
}

// streamed runs a task apart from the connection, and sends its events for as
// long as the client listens. What is refused before the code was sent is
// answered as without a stream.
func (s *Server) streamed(w http.ResponseWriter, r *http.Request, hash []byte, prepare func() (task, error)) error {
	key, reservation, err := s.claim(r, hash)
	if err != nil {
		return err
	}
	if key != "" && !reservation.Mine {
		return s.replayStream(w, r, reservation)
	}
	c := callOf(r.Context())
	c.reserved = reservation.Execution
	apart := false // whoever works apart from the call has the key
	defer func() {
		if !apart {
			s.handOn(r.Context(), c, key)
		}
	}()
	t, err := prepare()
	if apart = true; err != nil {
		return errors.Join(err, s.free(r.Context(), c, key))
	}
	events, end := s.Streams.Open(c.who.Tenant, t.id)
	began, refused := make(chan struct{}), make(chan error, 1)
	started := sync.OnceFunc(func() { close(began) })
	s.detachExecution(context.WithoutCancel(r.Context()), executionOf{c.who.Tenant, t.id}, func(ctx context.Context) {
		defer end()
		defer t.release()
		result, err := s.run(ctx, t, func(ctx context.Context, e cellwall.Event) error {
			started()
			return events.Sink(ctx, e)
		}, nil)
		var text []byte
		if err == nil {
			text, err = resultText(result)
		}
		err = errors.Join(err, s.settle(ctx, c, key, text, err))
		if err != nil {
			events.Fail(s.problem(err, c.id))
		} else {
			events.End(text, result.Warnings)
		}
		refused <- err
		started()
	})
	<-began
	select {
	case err := <-refused:
		if err != nil && !told(events) {
			return err
		}
	default:
	}
	return s.serveStream(r.Context(), w, r, events, 0)
}

// told reports whether a client could have heard of anything but the failure.
func told(b *stream.Buffer) bool {
	reader := b.Reader(0)
	defer reader.Close()
	events, err := reader.Next(context.Background()) // it has ended: this does not wait
	return err == nil && len(events) > 1
}

// settle has the idempotency key of a stream stand for the Result that is kept.
func (s *Server) settle(ctx context.Context, c *call, key string, result []byte, failed error) error {
	if key == "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // who cancelled it may ask again, too
	switch {
	case errors.Is(failed, errPanicked):
		s.handOn(ctx, c, key)
		return nil
	case failed != nil:
		return s.free(ctx, c, key)
	}
	return s.fix(ctx, c, key, http.StatusOK, result)
}

// replayStream tells the end of an execution that was streamed before.
func (s *Server) replayStream(w http.ResponseWriter, r *http.Request, kept cellwall.Reservation) error {
	w.Header().Set("Idempotency-Replayed", "true")
	defer s.going.add(callerOf(r.Context()).Tenant, len(kept.Body))()
	return s.endedStream(w, r, kept.Body, 0)
}

// endedStream is the stream of an execution of which only the Result is left. Its ids
// go on behind what the client has heard.
func (s *Server) endedStream(w http.ResponseWriter, r *http.Request, body []byte, after uint64) error {
	var said struct{ Warnings []string } // the rest of it goes out as it is
	if err := json.Unmarshal(body, &said); err != nil {
		return err
	}
	b := stream.Behind(after)
	b.End(body, said.Warnings)
	return s.serveStream(r.Context(), w, r, b, after)
}

func (s *Server) documentEvents(op *huma.Operation) {
	pathID(op, cellwall.PrefixExecution)
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "Last-Event-ID", In: "header", Schema: &huma.Schema{Type: "string", Pattern: "^[0-9]*$"},
		Description: "The last event that was heard; the stream goes on behind it.",
	})
	responds(op, http.StatusOK, "Events, see the room's page", "text/event-stream", eventStream())
	responds(op, http.StatusNoContent, "Nothing can come any more", "", nil)
}

// getEvents goes on with the stream of an execution, for five minutes beyond its
// end; later only the end can be told.
func (s *Server) getEvents(w http.ResponseWriter, r *http.Request) error {
	after, err := stream.After(r)
	if err != nil {
		return err
	}
	tenant, id := callerOf(r.Context()).Tenant, r.PathValue("id")
	if events, err := s.Streams.Find(tenant, id); err == nil {
		return s.followStream(r.Context(), w, r, events, after)
	}
	if s.opts.Executions == nil {
		return notThere("execution")
	}
	kept, give, err := s.execution(r)
	if err != nil {
		return err
	}
	defer give()
	if kept.State != cellwall.WorkDone {
		return &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "follow execution", Err: errors.New("it is " + string(kept.State) + " and has no stream here"),
			Hint: "ask /v1/executions/{id} for its result",
		}
	}
	return s.endedStream(w, r, kept.Result, after)
}

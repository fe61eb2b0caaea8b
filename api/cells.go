package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

func (s *Server) documentCell(op *huma.Operation) {
	pathID(op, cellwall.PrefixSession)
	documentAsync(op)
	takes(op, "application/json", schemaOf[cellBody](s))
	responds(op, http.StatusOK, "What came of it: `ok` and `status` say how the code ended", "application/json", schemaOf[cellwall.Result](s))
	responds(op, http.StatusOK, "", "text/event-stream", eventStream())
	responds(op, http.StatusAccepted, "It is kept, and runs when its turn comes, or a person has approved it", "application/json", schemaOf[executionView](s))
}

// sessionForWork is the session of a path, when its tenant may have more answers.
func (s *Server) sessionForWork(r *http.Request) (Session, error) {
	if err := s.going.check(callerOf(r.Context()).Tenant); err != nil {
		return nil, err
	}
	return s.session(r.Context(), r.PathValue("id"))
}

// createCell runs code in a session, and answers in the form that was asked for. What
// a cell has come to under an idempotency key outlives its session.
func (s *Server) createCell(w http.ResponseWriter, r *http.Request) error {
	one, gone := s.sessionForWork(r)
	if key, err := s.onceKey(r); gone != nil && (key == "" || err != nil || cellwall.CodeOf(gone) != cellwall.CodeNotFound) {
		return gone
	}
	in, b, functions, err := s.readCell(r)
	if err != nil {
		return err
	}
	prepare := func() (task, error) {
		if gone != nil {
			return task{}, gone
		}
		id := newID(r.Context(), cellwall.PrefixExecution)
		cell := b.cell(r.Context(), id, language(r))
		return task{id, func(ctx context.Context, sink cellwall.Sink, before begin) (*cellwall.Result, error) {
			cell.Functions, cell.Begin = functions, before
			return marked(ctx, func() (*cellwall.Result, error) { return one.Cell(ctx, cell, sink) })
		}, func() {}}, nil
	}
	switch {
	case s.held(r.Context()):
		return s.once(w, r, in, func(w http.ResponseWriter, r *http.Request) error {
			if gone != nil {
				return gone
			}
			return s.hold(w, r, cellwall.KeptExecution{Session: one.State().ID, Metadata: b.Metadata}, asked{Cell: &b}, b.Code, b.Purpose)
		})
	case wantsEvents(r):
		return s.streamed(w, r, in, prepare)
	case wantsAsync(r):
		return s.once(w, r, in, func(w http.ResponseWriter, r *http.Request) error {
			t, err := prepare()
			if err != nil {
				return err
			}
			return s.leaveBehind(w, r, t, cellwall.KeptExecution{Session: one.State().ID, Metadata: b.Metadata}, asked{Cell: &b})
		})
	}
	return s.once(w, r, in, func(w http.ResponseWriter, r *http.Request) error {
		t, err := prepare()
		if err != nil {
			return err
		}
		result, err := t.run(r.Context(), nil, nil)
		if err != nil {
			return err
		}
		return s.writeResult(w, r, result)
	})
}

// readCell reads the body of a cell, and what it may call.
func (s *Server) readCell(r *http.Request) (in []byte, b cellBody, functions []cellwall.Function, err error) {
	if in, err = s.readExecutionBody(r); err != nil {
		return nil, b, nil, err
	}
	b, err = decode[cellBody](s, in)
	s.keep(callOf(r.Context()), int64(len(b.Code)))
	if err == nil {
		err = checkCell(&b)
	}
	if err == nil {
		functions, err = s.heardFunctions(r, b.Callable)
	}
	return in, b, functions, err
}

// checkCell refuses what its schema cannot.
func checkCell(b *cellBody) error {
	if err := checkMetadata(b.Metadata); err != nil {
		return err
	}
	return checkCodeSize(b.Code)
}

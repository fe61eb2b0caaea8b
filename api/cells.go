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

// createCell runs code in a session, and answers in the form that was asked for.
func (s *Server) createCell(w http.ResponseWriter, r *http.Request) error {
	c := callOf(r.Context())
	one, err := s.sessionForWork(r)
	if err != nil {
		return err
	}
	in, err := s.readExecutionBody(r)
	if err != nil {
		return err
	}
	b, err := decode[cellBody](s, in)
	if err == nil {
		err = checkCell(&b)
	}
	var functions []cellwall.Function
	if err == nil {
		functions, err = s.heardFunctions(r, b.Callable)
	}
	if err != nil {
		return err
	}
	begin := func() (task, error) {
		id := c.reserved
		if id == "" {
			id = cellwall.NewID(cellwall.PrefixExecution)
		}
		cell := b.cell(r.Context(), id, language(r))
		cell.Functions = functions
		return task{id, func(ctx context.Context, sink cellwall.Sink) (*cellwall.Result, error) {
			return marked(ctx, func() (*cellwall.Result, error) { return one.Cell(ctx, cell, sink) })
		}, func() {}}, nil
	}
	switch {
	case s.held(r.Context()):
		return s.once(w, r, in, func(w http.ResponseWriter, r *http.Request) error {
			return s.hold(w, r, cellwall.KeptExecution{Session: one.State().ID, Metadata: b.Metadata}, asked{Cell: &b}, b.Code, b.Purpose)
		})
	case wantsEvents(r):
		return s.streamed(w, r, in, begin)
	case wantsAsync(r):
		return s.once(w, r, in, func(w http.ResponseWriter, r *http.Request) error {
			t, err := begin()
			if err != nil {
				return err
			}
			return s.leaveBehind(w, r, t, cellwall.KeptExecution{Session: one.State().ID, Metadata: b.Metadata}, asked{Cell: &b})
		})
	}
	return s.once(w, r, in, func(w http.ResponseWriter, r *http.Request) error {
		t, err := begin()
		if err != nil {
			return err
		}
		result, err := t.run(r.Context(), nil)
		if err != nil {
			return err
		}
		return s.writeResult(w, r, result)
	})
}

// checkCell refuses what its schema cannot.
func checkCell(b *cellBody) error {
	if err := checkMetadata(b.Metadata); err != nil {
		return err
	}
	return checkCodeSize(b.Code)
}

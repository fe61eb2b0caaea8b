package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api/stream"
)

// Functions make what code may call as tools.<name>. cmd joins package tools to it.
type Functions interface {
	// Ours are the service's own, by name: CodeBadRequest for one that it has not.
	Ours(names []string, language string) ([]cellwall.Function, error)
	// Theirs is one that a caller registers, answered by do. CodeBadRequest for a name
	// that no code can write, and for a schema that nothing can be held to.
	Theirs(
		name, description string, parameters json.RawMessage, language string, do func(context.Context, cellwall.Call) cellwall.Reply,
	) (cellwall.Function, error)
}

// functionBody is a function of the caller's own.
type functionBody struct {
	Name        string         `json:"name" minLength:"1" maxLength:"64" pattern:"^[a-z][a-z0-9_]*$" doc:"Code calls tools.<name>(...)"`
	Description string         `json:"description,omitempty" maxLength:"4000" doc:"For whoever writes the code"`
	Parameters  map[string]any `json:"parameters" doc:"JSON Schema (draft 2020-12) of an object: the arguments by name"`
}

// Callable is what code may call, as bodies say it. It has a name that is exported for
// the schema of a body, which looks into no other.
type Callable struct {
	Tools     []string       `json:"tools,omitempty" maxItems:"8" nullable:"false" doc:"The service's own: query, which is tools.query(sql) over every row of the data"`
	Functions []functionBody `json:"functions,omitempty" maxItems:"64" nullable:"false" doc:"Yours: each call is an event call of the stream, answered at /v1/executions/{id}/calls/{call}"`
}

// functions are what a body registers.
func (s *Server) functions(c Callable, language string) ([]cellwall.Function, error) {
	if len(c.Tools)+len(c.Functions) == 0 {
		return nil, nil
	}
	if s.opts.Functions == nil {
		return nil, notThere("tools")
	}
	all, err := s.opts.Functions.Ours(c.Tools, language)
	if err != nil {
		return nil, err
	}
	for _, b := range c.Functions {
		parameters, err := json.Marshal(b.Parameters)
		if err != nil {
			return nil, fmt.Errorf("read parameters: %w", err)
		}
		f, err := s.opts.Functions.Theirs(b.Name, b.Description, parameters, language, s.askCaller)
		if err != nil {
			return nil, err
		}
		f.Outside = true
		all = append(all, f)
	}
	return all, nil
}

// heardFunctions are what a body registers whose execution is followed.
func (s *Server) heardFunctions(r *http.Request, c Callable) ([]cellwall.Function, error) {
	if err := followed(c, wantsEvents(r) || wantsAsync(r)); err != nil {
		return nil, err
	}
	return s.functions(c, language(r))
}

// followed refuses functions of a caller's own where nobody would hear of their calls.
func followed(c Callable, streams bool) error {
	if len(c.Functions) == 0 || streams {
		return nil
	}
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "register functions", Err: errors.New("nobody would hear of their calls"),
		Hint: "ask for events: Accept: text/event-stream",
	}
}

// questions are calls that wait for their caller's answer.
type questions struct {
	mu      sync.Mutex
	waiting map[question]chan cellwall.Reply
}

// question names one. An execution has one tenant, whose stream told of it.
type question struct {
	tenant, execution string
	number            uint64
}

func newQuestions() *questions { return &questions{waiting: map[question]chan cellwall.Reply{}} }

func (q *questions) wait(id question) (answer <-chan cellwall.Reply, done func()) {
	c := make(chan cellwall.Reply, 1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting[id] = c
	return c, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.waiting, id)
	}
}

// answer gives a call its one answer.
func (q *questions) answer(id question, r cellwall.Reply) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.waiting[id]
	if c == nil {
		return nobodyAsks()
	}
	delete(q.waiting, id)
	c <- r
	return nil
}

func nobodyAsks() error {
	return &cellwall.Error{
		Code: cellwall.CodeNotFound, Op: "answer call", Err: errors.New("no such call waits for an answer"),
		Hint: "it was answered, its execution has ended, or it never was",
	}
}

// askCaller tells whoever follows the execution of a call, and waits for the answer.
func (s *Server) askCaller(ctx context.Context, c cellwall.Call) cellwall.Reply {
	events, err := s.Streams.Find(c.Identity.Tenant, c.Execution)
	if err != nil {
		return cellwall.Reply{
			Failure: cellwall.CallFailed,
			Message: "nobody follows the events of this execution, so that nobody can answer (Accept: text/event-stream)",
		}
	}
	answer, done := s.questions.wait(question{c.Identity.Tenant, c.Execution, c.Number})
	defer done()
	if err := events.Call(ctx, stream.Call{ID: c.Number, Name: c.Name, Arguments: c.Arguments}); err != nil {
		return cellwall.Reply{Failure: cellwall.CallEnded, Message: "the call could not be told: " + err.Error()}
	}
	select {
	case r := <-answer:
		return r
	case <-ctx.Done():
		return cellwall.Reply{Failure: cellwall.CallEnded, Message: "nobody answered"}
	}
}

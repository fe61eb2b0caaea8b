package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

func (s *Server) registerExecutions() {
	raw(s, "createExecution", s.createExecution, s.documentExecution)
	raw(s, "streamExecution", s.getEvents, s.documentEvents)
	handle(s, "listExecutions", s.listExecutions)
	raw(s, "getExecution", s.getExecution, func(op *huma.Operation) {
		pathID(op, cellwall.PrefixExecution)
		responds(op, http.StatusOK, "The Result, as it was answered first", "application/json", schemaOf[cellwall.Result](s))
		responds(op, http.StatusAccepted, "It is not done", "application/json", schemaOf[executionView](s))
	})
	raw(s, "cancelExecution", s.cancelExecution, documentCancel(s))
}

func (s *Server) documentExecution(op *huma.Operation) {
	takes(op, "application/json", schemaOf[executionBody](s))
	takes(op, "multipart/form-data", &huma.Schema{
		Type: "object", Required: []string{"request"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"request": schemaOf[executionBody](s),
			"file":    {Type: "array", Items: binary(), Description: "Data files for this execution only; the first is df."},
		},
	})
	responds(op, http.StatusOK, "What came of it: `ok` and `status` say how the code ended", "application/json", schemaOf[cellwall.Result](s))
	responds(op, http.StatusOK, "", "text/event-stream", eventStream())
	documentAsync(op)
	responds(op, http.StatusAccepted, "It is kept, and runs when its turn comes, or a person has approved it", "application/json", schemaOf[executionView](s))
}

// createExecution runs code and answers with its Result.
func (s *Server) createExecution(w http.ResponseWriter, r *http.Request) error {
	if err := s.going.check(callerOf(r.Context()).Tenant); err != nil {
		return err
	}
	in, err := s.readExecution(r)
	if err != nil {
		return err
	}
	defer in.close()
	s.keep(callOf(r.Context()), int64(len(in.body.Code)))
	held := s.held(r.Context())
	if wantsEvents(r) && !held {
		return s.streamed(w, r, in.take(), func() (task, error) { return s.executionTask(r, in) })
	}
	return s.once(w, r, in.take(), func(w http.ResponseWriter, r *http.Request) error {
		if held {
			return s.holdExecution(w, r, in)
		}
		if wantsAsync(r) {
			return s.executionBehind(w, r, in)
		}
		req, err := s.executionRequest(r, in)
		if err != nil {
			return err
		}
		return s.runExecution(w, r, req)
	})
}

// runExecution answers in the form that was asked for.
func (s *Server) runExecution(w http.ResponseWriter, r *http.Request, req cellwall.Request) error {
	result, err := s.opts.Work.Stream(r.Context(), req, nil)
	if err != nil {
		return err
	}
	return s.writeResult(w, r, result)
}

// executionBehind keeps an execution for later. Files that came with the request
// are not kept, so that there must be none.
func (s *Server) executionBehind(w http.ResponseWriter, r *http.Request, in *executionInput) error {
	if len(in.inputs) > 0 {
		return &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "leave work behind", Err: errors.New("files of a request are not kept"),
			Hint: "upload them to /v1/datasets, and name them in datasets",
		}
	}
	t, err := s.executionTask(r, in)
	if err != nil {
		return err
	}
	return s.leaveBehind(w, r, t, cellwall.KeptExecution{Metadata: in.body.Metadata}, asked{Body: &in.body})
}

// writeResult answers with a Result as it is kept, to the byte: under an idempotency
// key it needs no second copy then.
func (s *Server) writeResult(w http.ResponseWriter, r *http.Request, result *cellwall.Result) error {
	text, err := resultText(result)
	if err != nil {
		return err
	}
	defer s.going.add(callerOf(r.Context()).Tenant, len(text))()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, err = w.Write(text)
	return ignoreGone(err)
}

func resultText(result *cellwall.Result) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(result); err != nil {
		return nil, fmt.Errorf("write result: %w", err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encode(w, v)
	return nil
}

// executionView is an execution in a list, or one that is not done.
type executionView struct {
	ID       string             `json:"id"`
	Session  *string            `json:"session_id"`
	At       time.Time          `json:"at"`
	State    cellwall.WorkState `json:"state" enum:"waiting,queued,running,done,lost" doc:"waiting: for a person"`
	Status   cellwall.Status    `json:"status,omitempty" doc:"With done: how the code ended"`
	Approval string             `json:"approval_id,omitempty" doc:"With waiting: what a person decides"`
	Metadata map[string]string  `json:"metadata,omitempty"`
}

func viewExecution(k cellwall.KeptExecution) executionView {
	v := executionView{ID: k.ID, At: k.At.UTC(), State: k.State, Status: k.Status, Metadata: k.Metadata}
	if k.Session != "" {
		v.Session = &k.Session
	}
	return v
}

type executionsOut struct{ Body paged[executionView] }

func (s *Server) listExecutions(ctx context.Context, in *struct{ PageQuery }) (*executionsOut, error) {
	if s.opts.Executions == nil {
		return nil, notThere("executions")
	}
	page, err := s.pageFrom(ctx, in.PageQuery)
	if err != nil {
		return nil, err
	}
	list, next, err := s.opts.Executions.Executions(ctx, callerOf(ctx).Tenant, page)
	if err != nil {
		return nil, err
	}
	out := &executionsOut{paged[executionView]{Items: []executionView{}, Next: s.next(ctx, next)}}
	for _, k := range list {
		out.Body.Items = append(out.Body.Items, viewExecution(k))
	}
	return out, nil
}

// getExecution gives a Result byte for byte as it was answered.
func (s *Server) getExecution(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Executions == nil {
		return notThere("execution")
	}
	k, give, err := s.execution(r)
	if err != nil {
		return err
	}
	defer give()
	if k.State == cellwall.WorkDone && json.Valid(k.Result) {
		w.Header().Set("Content-Type", "application/json")
		if fresh(w, r, etag(k.Result)) {
			return nil
		}
		w.WriteHeader(http.StatusOK)
		_, err := w.Write(k.Result)
		return ignoreGone(err)
	}
	status := http.StatusAccepted
	if k.State == cellwall.WorkLost {
		status = http.StatusOK
	}
	view := viewExecution(k)
	view.Approval = s.waitingFor(r.Context(), k)
	return writeJSON(w, status, view)
}

// execution reads what a path names. Its Result is in memory until give is called.
func (s *Server) execution(r *http.Request) (k cellwall.KeptExecution, give func(), err error) {
	tenant, id := callerOf(r.Context()).Tenant, r.PathValue("id")
	size, err := s.opts.Executions.ResultBytes(r.Context(), tenant, id)
	if err != nil {
		return k, nil, err
	}
	if give, err = s.going.take(tenant, size); err != nil {
		return k, nil, err
	}
	read := false
	defer func() {
		if !read {
			give()
		}
	}()
	k, err = s.opts.Executions.Execution(r.Context(), tenant, id)
	read = err == nil
	return k, give, err
}

// language is that of hints, from the header; "" = the tenant's.
func language(r *http.Request) string { return languageOf(r.Header.Get("Accept-Language")) }

func languageOf(header string) string {
	first, _, _ := strings.Cut(header, ",")
	switch tag, _, _ := strings.Cut(strings.TrimSpace(first), "-"); strings.ToLower(tag) {
	case "zh":
		return "zh"
	case "en":
		return "en"
	}
	return ""
}

package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// POST /execute has the shape, the words and the statuses of another service, of
// which clients exist. Where that one differs from ours, it wins here: its checks
// instead of the tenant's profile, its defaults, unknown fields ignored, details
// instead of problem documents.

// profileExecute is the name of the checks of this route, see package policy.
const profileExecute = "execute"

func (s *Server) registerExecute() {
	raw(s, "execute", s.execute, func(op *huma.Operation) {
		op.Security = []map[string][]string{{"bearer": {}}, {"header": {}}}
		takes(op, "application/json", schemaOf[executeBody](s))
		responds(op, http.StatusOK, "The code ran, well or not", "application/json", schemaOf[executeAnswer](s))
		for status, about := range map[int]string{
			http.StatusBadRequest: "The code was refused", http.StatusUnauthorized: "Invalid API Key",
			http.StatusRequestTimeout: "The code ran out of time",
		} {
			responds(op, status, about, "application/json", schemaOf[executeDetail](s))
		}
		responds(op, http.StatusUnprocessableEntity, "A field is missing or out of range", "application/json", schemaOf[executeFaults](s))
		op.Responses["4XX"] = &huma.Response{Description: "It was refused", Content: map[string]*huma.MediaType{"application/json": {Schema: schemaOf[executeDetail](s)}}}
		op.Responses["5XX"] = &huma.Response{Description: "The service is busy or failed", Content: op.Responses["4XX"].Content}
	})
}

// executeAnswer has exactly these fields.
type executeAnswer struct {
	TaskID        string             `json:"task_id" format:"uuid"`
	Stdout        string             `json:"stdout"`
	Stderr        string             `json:"stderr"`
	ExitCode      int                `json:"exit_code"`
	ExecutionTime float64            `json:"execution_time" doc:"Seconds"`
	OutputFiles   *map[string]string `json:"output_files" doc:"Null unless asked for"`
}

// executeDetail is how this route says no.
type executeDetail struct {
	Detail string `json:"detail"`
}

// executeFaults is how this route says that a field is wrong.
type executeFaults struct {
	Detail []executeFault `json:"detail"`
}

// executeFault is one field that is wrong.
type executeFault struct {
	Type string   `json:"type"`
	Loc  []string `json:"loc"`
	Msg  string   `json:"msg"`
}

// execute runs code as the other service does.
func (s *Server) execute(w http.ResponseWriter, r *http.Request) error {
	c := callOf(r.Context())
	body, faults := readExecute(c.whole.bytes())
	if body != nil {
		s.keep(c, body.size()) // not the whole body, for as long as the run takes
	}
	if len(faults) > 0 {
		return writeJSON(w, http.StatusUnprocessableEntity, executeFaults{faults})
	}
	who := callerOf(r.Context())
	terms, err := s.terms(r.Context())
	if err != nil {
		return err
	}
	if err := s.executeWaits(terms.Approval, body); err != nil {
		return err
	}
	req := cellwall.Request{
		Trace: callID(r.Context()), Identity: who, Code: body.code, Profile: profileExecute,
		Limits: capped(body.limits(), terms.Ceiling), Language: language(r),
	}
	ran, err := s.executed(r.Context(), req, body)
	if err != nil {
		return err
	}
	if status, detail := executeRefusal(ran.result, req.Limits.Timeout); status != 0 {
		return writeJSON(w, status, executeDetail{detail})
	}
	return writeJSON(w, http.StatusOK, answerOf(ran))
}

// executeWaits refuses what a person would have to see first: this route cannot wait.
func (s *Server) executeWaits(terms cellwall.ApprovalTerms, body *execute) error {
	if terms.Executions || terms.Artifacts && body.returns {
		return &cellwall.Error{
			Code: cellwall.CodeForbidden, Op: "run code", Err: errors.New("a person has to approve it, and this route cannot wait"),
			Hint: "use POST /v1/executions",
		}
	}
	return nil
}

// ran is what came of the code.
type ran struct {
	result *cellwall.Result
	files  *map[string]string // nil = they were not asked for
}

// executed runs the code: alone, or where files lie beside it.
func (s *Server) executed(ctx context.Context, req cellwall.Request, body *execute) (ran, error) {
	if len(body.files) > 0 || body.returns {
		return s.executedBeside(ctx, req, body)
	}
	result, err := s.opts.Work.Stream(ctx, req, nil)
	return ran{result: result}, err
}

// executeRefusal is the status and the words of a run without an answer of its
// own; 0 = it has one.
func executeRefusal(r *cellwall.Result, timeout time.Duration) (status int, detail string) {
	switch r.Status {
	case cellwall.StatusTimeout:
		return http.StatusRequestTimeout, fmt.Sprintf("Execution timeout after %gs", timeout.Seconds())
	case cellwall.StatusRefused:
		if r.Observation.Stop != nil {
			return http.StatusTooManyRequests, "Execution failed: " + r.Observation.Suggestion
		}
		message := "the code was refused"
		if len(r.Findings) > 0 {
			message = r.Findings[0].Message
		}
		return http.StatusBadRequest, "Execution failed: " + message
	case cellwall.StatusCancelled:
		return http.StatusServiceUnavailable, "Execution failed: it was cancelled"
	case cellwall.StatusInternalError:
		return http.StatusInternalServerError, "Execution failed: the service failed"
	}
	return 0, ""
}

// answerOf is a run as this route tells it.
func answerOf(r ran) executeAnswer {
	return executeAnswer{
		TaskID: uuid4(), Stdout: r.result.Stdout.Text, Stderr: errorText(r.result),
		ExitCode: exitCode(r.result), ExecutionTime: r.result.Usage.WallMS / 1000, OutputFiles: r.files,
	}
}

// uuid4 returns a random UUID.
func uuid4() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: it ends the process instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// foreignDetail is a problem in the words of this route.
func foreignDetail(p Problem) executeDetail {
	switch p.Status {
	case http.StatusUnauthorized:
		return executeDetail{"Invalid API Key"}
	case http.StatusInternalServerError:
		return executeDetail{"Execution failed: the service failed, request " + p.Call}
	}
	return executeDetail{"Execution failed: " + p.Detail}
}

// errNoSessions: files can lie beside code only where sessions are kept.
var errNoSessions = errors.New("this service keeps no sessions, which files need")

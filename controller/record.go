package controller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/cellwall/cellwall"
)

// recorder keeps entries. Append returns nil only when the entry survives the
// death of this process.
type recorder interface {
	Append(at time.Time, entry any) error
}

// Entry is the record of one execution, of a session's beginning, or of a
// rollback that was asked for: that has neither code nor cell, and Restored.
type Entry struct {
	V           int                  `json:"v"` // 1
	ID          string               `json:"id"`
	Call        string               `json:"request_id,omitempty"` // of the service
	Refusal     cellwall.ErrorCode   `json:"refusal,omitempty"`    // why a service turned it away: nothing ran
	Session     string               `json:"session_id,omitempty"`
	Cell        int                  `json:"cell,omitempty"` // its number; 0 of a session's beginning, and of what did not run
	At          time.Time            `json:"at"`             // of the request, UTC
	Identity    cellwall.Identity    `json:"identity"`
	CodeSHA256  string               `json:"code_sha256"`
	Code        string               `json:"code"`
	Purpose     string               `json:"purpose,omitempty"`
	Inputs      []cellwall.InputFact `json:"inputs"`
	Template    string               `json:"template,omitempty"` // that had parsed them ahead
	Environment string               `json:"environment"`
	Profile     string               `json:"profile,omitempty"`
	Limits      EntryLimits          `json:"limits"`
	Findings    []cellwall.Finding   `json:"findings"`
	Status      cellwall.Status      `json:"status"`
	Cause       cellwall.Cause       `json:"cause"`
	Failure     string               `json:"failure,omitempty"` // Cellwall's own
	Usage       cellwall.Usage       `json:"usage"`
	Stop        *cellwall.Stop       `json:"stop,omitempty"`     // the budget that was reached
	Restored    *cellwall.Restored   `json:"restored,omitempty"` // what the session went back to
	Artifacts   []EntryArtifact      `json:"artifacts"`
	Logs        []string             `json:"logs,omitempty"` // files that keep the output whole
	Boundary    cellwall.Boundary    `json:"boundary"`
	Refused     []cellwall.Refusal   `json:"refused_calls"`
	TokenCost   float64              `json:"token_cost,omitempty"` // as the caller says it
	Metadata    map[string]string    `json:"metadata,omitempty"`   // the caller's own
	Parent      string               `json:"parent,omitempty"`     // the execution that called for this one
	Calls       []EntryCall          `json:"calls,omitempty"`      // out of the sandbox
	CallsOver   int                  `json:"calls_over,omitempty"` // calls that were refused when a bound was reached

	// Result is what will be answered, for a recorder that keeps it too; nil when
	// that is an error, and for a program of ours that another execution called for.
	Result *cellwall.Result `json:"-"`
}

// EntryLimits are the limits that held, by their names in the API.
type EntryLimits struct {
	TimeoutMS     int64   `json:"timeout_ms"`
	MemoryBytes   int64   `json:"memory_bytes"`
	CPUs          float64 `json:"cpus"`
	Processes     int     `json:"processes"`
	OutputBytes   int64   `json:"output_bytes"`
	ArtifactBytes int64   `json:"artifact_bytes"`
	InputBytes    int64   `json:"input_bytes"`
	Rows          int     `json:"rows"`
}

// EntryArtifact names one artifact.
type EntryArtifact struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// record writes the entry. Without it there is no answer.
func (x *execution) record(ctx context.Context, failure error) error {
	if x.req.Prelude && x.begins != "" && failure == nil && x.result.OK {
		return nil // its cell follows
	}
	entry := x.entry(failure)
	err := x.traced(ctx, StageRecord, func(context.Context) error { return x.c.opts.Recorder.Append(x.began, entry) })
	if err != nil {
		return &cellwall.Error{
			Code: cellwall.CodeInternal, Op: "record execution " + x.result.ID, Err: errors.Join(err, failure),
			Hint: "make room in the state directory: an execution without a record is not answered",
		}
	}
	return nil
}

func (x *execution) entry(failure error) Entry {
	sum := sha256.Sum256([]byte(x.req.Code))
	facts, err := x.digests.wait()
	if err != nil {
		x.c.opts.Logger.Warn("hash inputs", "execution", x.result.ID, "error", err)
	}
	if x.digests == nil && x.opened == nil { // refused before anything was read
		for _, in := range x.req.Datasets {
			facts = append(facts, cellwall.InputFact{ID: in.Dataset, Name: in.Name, Bytes: in.Size})
		}
	}
	r, l := x.result, x.req.Limits
	e := Entry{
		V: 1, ID: r.ID, Call: x.req.Trace, Refusal: x.refusal, Cell: x.cell(), Stop: x.stop, Restored: r.Restored, At: x.began.UTC(), Identity: x.req.Identity,
		CodeSHA256: hex.EncodeToString(sum[:]), Code: x.req.Code, Purpose: x.req.Purpose,
		Inputs: facts, Template: x.spec.Template, Environment: r.Boundary.Environment, Profile: x.req.Profile,
		Limits: EntryLimits{
			TimeoutMS: l.Timeout.Milliseconds(), MemoryBytes: l.MemoryBytes, CPUs: l.CPUs, Processes: l.Processes,
			OutputBytes: l.OutputBytes, ArtifactBytes: l.ArtifactBytes,
			InputBytes: l.InputBytes, Rows: l.Rows,
		},
		Findings: r.Findings, Status: r.Status, Cause: r.Cause, Usage: r.Usage,
		Artifacts: make([]EntryArtifact, 0, len(r.Artifacts)),
		Logs:      x.seen.logs(), Boundary: r.Boundary, Refused: x.end.Refused,
		TokenCost: x.req.TokenCost, Metadata: x.req.Metadata, Parent: x.req.Parent,
	}
	e.Calls, e.CallsOver = x.calls()
	if r.SessionID != nil {
		e.Session = *r.SessionID
	}
	switch {
	case failure != nil:
		e.Failure = failure.Error()
	case !called(x.req):
		e.Result = r
	}
	if e.Refused == nil {
		e.Refused = []cellwall.Refusal{}
	}
	for _, a := range r.Artifacts {
		e.Artifacts = append(e.Artifacts, EntryArtifact{Name: a.Name, Bytes: a.Bytes, SHA256: a.SHA256})
	}
	return e
}

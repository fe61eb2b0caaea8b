package cellwall

import (
	"encoding/json"
	"time"
)

// ApprovalTerms say what of a tenant's waits for a person before it happens. The zero
// value: nothing does.
type ApprovalTerms struct {
	Executions bool          // code that a caller or a model wrote: executions, cells, run_python
	Tools      []string      // calls of these tools
	Artifacts  bool          // what runs left, before it is handed out
	Expires    time.Duration // of a request that nobody answers; 0 = a day
}

// Any reports whether anything waits.
func (a ApprovalTerms) Any() bool { return a.Executions || a.Artifacts || len(a.Tools) > 0 }

// ApprovalKind is what waits.
type ApprovalKind string

// The kinds.
const (
	ApprovalExecution ApprovalKind = "execution" // a single execution, or a cell when Session is set
	ApprovalTool      ApprovalKind = "tool"
	ApprovalArtifact  ApprovalKind = "artifact"
)

// ApprovalState is what became of it.
type ApprovalState string

// The states.
const (
	ApprovalWaiting  ApprovalState = "waiting"
	ApprovalApproved ApprovalState = "approved"
	ApprovalEdited   ApprovalState = "edited" // approved, with other code
	ApprovalRejected ApprovalState = "rejected"
	ApprovalExpired  ApprovalState = "expired" // nobody answered in time
)

// Passed reports whether what waited may happen.
func (s ApprovalState) Passed() bool { return s == ApprovalApproved || s == ApprovalEdited }

// Approval is something that waits for a person, or waited.
type Approval struct {
	ID        string // apr_…
	Kind      ApprovalKind
	State     ApprovalState
	Asked     Identity // on whose behalf it waits
	At        time.Time
	Expires   time.Time
	Session   string
	Execution string // that it will run under, or that left the artifact
	Tool      string
	Artifact  string
	Code      string          // that would run; "" of what has none
	Purpose   string          // as the asker says it
	Request   json.RawMessage // what its keeper needs to go on; as edited
	Decided   Identity        // who said so
	DecidedAt time.Time
	Comment   string          // of whoever decided
	Outcome   json.RawMessage // of a tool's call; nil until it was made
	Call      string          // id of the call that asks or decides, for its record; it is not kept
}

// MayDecide reports whether somebody of the tenant may decide: whoever asked may not,
// unless they administer it.
func (a Approval) MayDecide(who Identity) bool {
	return who.Tenant == a.Asked.Tenant && (who.Has(ScopeAdmin) || who.Has(ScopeExecute) && who.Key != "" && who.Key != a.Asked.Key)
}

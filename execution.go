package cellwall

import (
	"context"
	"encoding/json"
	"io"
	"time"
)

// Request is one execution as the operator's API and the command line ask for
// it. The model's own tool fills Code, Purpose and ExpectedArtifacts only.
type Request struct {
	ID                string // of the execution, when the caller had to know it before; "" = a new one
	Trace             string // id of the call that asked for it, for records
	Identity          Identity
	Code              string
	Purpose           string
	ExpectedArtifacts []string
	Datasets          []Input // opened by the caller; the first is df
	Environment       string
	Backend           string
	Profile           string // default, strict, off
	Limits            Limits // zero fields mean the default
	Language          string // of hints: "en" (default) or "zh"
	AllowDegraded     bool
	AttemptsLeft      *int              // told to the model when the caller counts attempts
	KeepFiles         bool              // of a session's cell: when it is killed, its files stay
	Approved          bool              // a person has, where the tenant's terms want one
	Own               bool              // the program is ours, what a caller said is data in it: it is not checked, and sees every row
	Prelude           bool              // opens a session for one cell: that is counted and recorded, this only when it fails
	TokenCost         float64           // what the caller paid for the code, in its own unit
	Metadata          map[string]string // the caller's own, recorded and given back
	Functions         []Function        // that the code may call, as tools.<name>
	Parent            string            // the execution that called for this one and waits: it runs on that one's turn

	// Begin is asked once, when the turn and the sandbox are there and just before the
	// code is sent. Its error ends the execution with ErrNotSent, without code and
	// without a record; so does, before, a context whose cause is ErrNotSent. Nil = it
	// is sent.
	Begin func(context.Context) error
}

// Input is one file handed to a sandbox, read-only, as an open descriptor: the
// controller never passes a path that somebody could swap.
type Input struct {
	Name    string // base name below /workspace/input
	Dataset string // id of the upload that it is; "" = a file of this request only
	FD      int    // open for reading; owned by the caller
	Size    int64  // bytes that are handed over: those from the beginning of the file
	// SHA256 of these bytes in hex, from a store whose files never change. "" = not
	// known: they are hashed while the code runs, and never parsed ahead.
	SHA256 string
}

// Code is one program for a sandbox.
type Code struct {
	Execution  string // id
	Context    string // "" = the sandbox's only interpreter
	Language   string // "" = python
	Source     string
	File       string // name in tracebacks; "" = "<cell>"
	Env        map[string]string
	Precedence Precedence    // a courtesy: a backend may ignore it
	Timeout    time.Duration // 0 = the sandbox's limit
	Rows       int           // row limit for df; 0 = the sandbox's limit
	Describe   bool          // parse and describe the inputs, run no code
	Own        bool          // the program is ours: large inputs are read as far as it asks for
	Count      int           // of a session's cell: the number in In[n]
	KeepFiles  bool          // of a session's cell: when it is killed, its files stay
	Functions  []Function    // that the code may call; nil = there is no tools
	Caller     Caller        // answers those calls; needed with Functions
	Restrict   *Restriction  // the restricted interpreter; nil = code is given all of Python
	State      io.Reader     // of a session's beginning: what Export of another wrote; who gave it ends it once Begin has returned
}

// EventKind says what an Event carries.
type EventKind string

// The kinds. Stdout and stderr carry raw bytes; the others carry Rich, or JSON
// in Data as the guest protocol specifies.
const (
	EventStarted  EventKind = "started" // the code was sent; the first event of a run
	EventStdout   EventKind = "stdout"
	EventStderr   EventKind = "stderr"
	EventResult   EventKind = "result"   // Rich
	EventError    EventKind = "error"    // Data: ExecutionError
	EventDatasets EventKind = "datasets" // Data: []Dataset as parsed inside
	EventTables   EventKind = "tables"   // Data: []TableInScope, the tables the code could see when it failed
	EventNotice   EventKind = "notice"   // Data: Notice
	EventDone     EventKind = "done"     // the guest's own word that the code ended
	EventArtifact EventKind = "artifact" // Data: Artifact; from the controller, when it has been taken
)

// Event is something that happened during a run, in order of Seq. What it
// carries came out of a sandbox: bounded, decoded strictly, never trusted.
type Event struct {
	Seq       uint64
	At        time.Time
	Execution string
	Kind      EventKind
	Data      []byte
	Rich      *Rich
}

// Rich is one displayed value: MIME type to its content. Binary types hold
// base64 text; application/json holds JSON.
type Rich struct {
	IsMainResult bool                       `json:"is_main_result"`
	Data         map[string]json.RawMessage `json:"data"`
}

// TableInScope describes a table that was alive in the code's namespace.
type TableInScope struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	DTypes  []string `json:"dtypes"`
	Rows    int64    `json:"rows"`
}

// Notice is something the driver noticed that deserves a warning, as a code
// and arguments; package observe puts it into words.
type Notice struct {
	Code string            `json:"code"`
	Args map[string]string `json:"args"`
}

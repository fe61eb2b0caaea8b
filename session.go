package cellwall

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"time"
)

// Interpreter is a sandbox that was opened with Spec.Session: cells run one
// after the other in one interpreter, whose state lives on. It is found by type
// assertion on a Sandbox; Run of such a sandbox fails with CodeConflict.
//
// One call at a time, except Interrupt. A second one fails with CodeConflict;
// who wants a queue stands in front. A call after the end fails with an error
// that wraps ErrSessionOver.
type Interpreter interface {
	Sandbox
	// Begin makes the first state, once, after Bind and before the first Cell:
	// the inputs of the sandbox parsed into df and dfs, or with Code.State that of
	// another session, generators reseeded that no cell seeded. Of Code it takes
	// Execution, Env, Rows, State and Timeout. What of a state does not arrive is
	// told by notices, see LostVariables. An End that is not ok, for instance of a
	// file that cannot be parsed, leaves a session without df that goes on.
	Begin(context.Context, Code, Sink) (End, error)
	// Cell runs one cell and returns when it has ended. A cell that is killed,
	// of its time, of memory, of its own doing, ends with Restored: the state is
	// that of a checkpoint, the newest unless End says how many cells it is
	// older. When ctx ends the cell is interrupted, and killed when it does not
	// end then. Checkpoints are taken after the answer: the next call waits.
	Cell(context.Context, Code, Sink) (End, error)
	// Interrupt makes the cell of an execution end with KeyboardInterrupt, its state
	// kept; one that has not ended after InterruptPatience is killed, which
	// rolls back. One that has not come yet is interrupted when it comes; one that
	// is over is not missed. "" is the cell that runs, whichever it is. It does
	// not wait.
	Interrupt(execution string) error
	// Ask asks about the state and changes nothing in it. Answers come out of
	// the sandbox: bounded, decoded strictly, never trusted.
	Ask(context.Context, Question) (Answer, error)
	// Workspace gives the output directory while its processes live: as for
	// Harvest its names are hostile, and a file may change while it is read.
	Workspace() (fs.FS, error)
}

// InterruptPatience is how long an interrupted cell may go on before it is
// killed.
const InterruptPatience = 2 * time.Second

// Checkpointer is an Interpreter that can go back. Its checkpoints form a tree:
// each has the one before it as parent, and what runs after a Rollback grows
// from there. One state is live at a time.
type Checkpointer interface {
	// Checkpoints lists those that are kept, oldest first, once the one under
	// way is done.
	Checkpoints(context.Context) ([]Checkpoint, error)
	// Rollback makes the state of a kept checkpoint the live one: variables and
	// files below /workspace/output together. The checkpoint stays. It fails
	// with CodeNotFound, naming those that are kept, for an unknown one, and with
	// CodeConflict while a cell runs; the state is untouched then.
	Rollback(context.Context, Return) (Restored, error)
}

// Return says where Rollback goes.
type Return struct {
	To string // id of a checkpoint; "" = the newest before the live state
	// Reseed gives the random generators that the code did not seed itself new
	// states, so that two branches of one checkpoint differ.
	Reseed bool
}

// Exporter is an Interpreter whose live state can go to another sandbox: the way
// to a branch that lives beside its origin, behind a wall of its own.
type Exporter interface {
	// Export writes the live state, variables and files below /workspace/output
	// together, for the Begin of a session of the same environment (Code.State).
	// The session itself stays as it is. What is written came out of a sandbox and
	// may run code where it is read: it is for a sandbox and for nobody else.
	// Returned is what is not in it. It fails with CodeConflict where the live state
	// has no checkpoint and cannot be given one, and with CodeTooLarge when it is
	// more than a session can have.
	Export(context.Context, io.Writer) ([]Notice, error)
}

// Pauser is an Interpreter that can be frozen between cells: nothing of it runs,
// its memory stays charged. Every other call on a paused one fails with
// CodeConflict; a second Pause or Resume does nothing.
type Pauser interface {
	Pause(context.Context) error
	Resume(context.Context) error
}

// Templater is a Backend that can parse a dataset once and open sandboxes, of
// sessions and of single executions, that have it already: df, dfs and the files
// in /workspace/input. It keeps a template until it is told to forget it, and
// lets nobody but the tenant have it; who keeps how many is its caller's policy.
type Templater interface {
	// Prepare parses spec.Inputs in a sandbox of its own, within spec.Limits
	// (Rows among them). Only a Spec of the same tenant, environment and rows,
	// without inputs, may name the template. It fails with CodeDatasetUnreadable
	// when the data cannot be parsed or kept in this way, which another try would
	// not change, and with CodeBusy when there are as many templates as the
	// backend has room for.
	Prepare(context.Context, Spec) (Template, error)
	// Forget ends a template; sandboxes that came from it go on. An unknown name
	// is CodeNotFound.
	Forget(name string) error
}

// Template is a dataset that was parsed ahead. A Spec that names one which is
// gone, or another tenant's, is CodeNotFound.
type Template struct {
	Name  string // for Spec.Template
	Bytes int64  // of memory that it holds until it is forgotten, files included
}

// Checkpoint is a state that a session can go back to.
type Checkpoint struct {
	ID        string    `json:"id"`
	Parent    string    `json:"parent,omitempty"` // "" for the first
	Execution string    `json:"execution"`        // after which it was taken
	At        time.Time `json:"at"`
	Bytes     int64     `json:"bytes"`      // memory that it alone holds, copies of files included
	FileBytes int64     `json:"file_bytes"` // copies of files
	Live      bool      `json:"live"`       // the live state grows from it
	Files     bool      `json:"files"`      // false: they exceeded their budget, only variables go back
}

// Restored says what a session went back to.
type Restored struct {
	Checkpoint string `json:"checkpoint"`
	// Cells is how many cells have left nothing behind, a killed one included. It
	// is more than 1 after a death when checkpoints were skipped.
	Cells int `json:"cells"`
	// Files is whether the files went back too: not with Code.KeepFiles, and not
	// when they exceeded the budget of the checkpoint.
	Files bool `json:"files"`
	// Lost names what cannot be brought back, see LostThreads.
	Lost []Notice `json:"lost"`
}

// What a rollback cannot bring back, as Notice.Code in Restored.Lost. Args have
// "count", and "names" where there are names; for LostFiles "names" are files.
const (
	LostThreads   = "lost_threads"   // and the locks that they held
	LostPools     = "lost_pools"     // executors and pools, which need their threads or processes
	LostProcesses = "lost_processes" // children of earlier cells
	LostLocks     = "lost_locks"     // POSIX record locks
	LostTimers    = "lost_timers"    // alarm, setitimer
	LostPipes     = "lost_pipes"     // bytes read from pipes and sockets meanwhile
	LostMappings  = "lost_mappings"  // shared mappings keep what was written to them
	LostFiles     = "lost_files"     // changed while the checkpoint was taken, or over its budget

	// In a state that went to another sandbox only:
	LostVariables = "lost_variables" // cannot be pickled; "names" say of what type each is
	LostInputs    = "lost_inputs"    // files that were changed since the session began
)

// QuestionKind is what a Question wants to know.
type QuestionKind string

// The kinds of questions.
const (
	AskVariables QuestionKind = "variables" // of the session's namespace, newest last
	AskComplete  QuestionKind = "complete"  // how the name at Cursor may go on
	AskFinished  QuestionKind = "finished"  // is Text a whole cell, or does it want more lines?
	AskOutline   QuestionKind = "outline"   // what Text, a program, holds; may be asked before Begin
	AskParses    QuestionKind = "parses"    // is Text a whole program of plain Python (Finished)? no costs nothing but an AskOutline; may be asked before Begin
)

// Question is asked of a live interpreter.
type Question struct {
	Kind   QuestionKind
	Text   string // of the cell that is being written
	Cursor int    // in Text, in characters
}

// Answer is the interpreter's own word.
type Answer struct {
	Variables []Variable
	Matches   []string // each replaces the characters from Start to End of Text
	Start     int
	End       int
	Finished  bool
	Indent    string // with which the next line begins, when not Finished

	Outline json.RawMessage // of a program, as package policy reads it; nil = none was given
}

// Variable is one name of a session's namespace, described without running
// the user's own code.
type Variable struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape string `json:"shape,omitempty"` // "344 × 8", "3"
	Bytes int64  `json:"bytes"`           // 0 = not known
}

// Budget is what a session, a subject or a tenant may use before it is
// stopped. The zero value of a field means no bound.
type Budget struct {
	Executions int           // cells and single executions
	Failures   int           // in a row
	Time       time.Duration // of all executions together, and processor time that sessions used beside them
	TokenCost  float64       // as callers report it, in their unit
	SameError  int           // times in a row that the same class of error came back
}

// StopReason names the budget that was reached.
type StopReason string

// The reasons, in the order in which they are looked at.
const (
	StopExecutions StopReason = "executions"
	StopFailures   StopReason = "consecutive_failures"
	StopTime       StopReason = "total_time_ms"
	StopTokenCost  StopReason = "token_cost"
	StopSameError  StopReason = "same_error"
)

// Stop is the answer instead of another try. Limit and Used are counts,
// milliseconds or the caller's unit, as Reason says.
type Stop struct {
	Reason     StopReason `json:"reason"`
	Limit      float64    `json:"limit"`
	Used       float64    `json:"used"`
	Suggestion string     `json:"suggestion"`
}

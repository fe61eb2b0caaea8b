package cellwall

import (
	"context"
	"io"
	"io/fs"
)

// Spec is what a sandbox is opened with. Policy fills it, never the model.
type Spec struct {
	Identity    Identity
	Environment Environment
	Limits      Limits
	Inputs      []Input
	Home        string
	Users       []string
	Shell, Tty  bool   // choose the filter and the devices
	Session     bool   // the sandbox is an Interpreter; chooses the filter too
	Template    string // Template.Name, see Templater; "" = the environment's zygote

	Precedence    Precedence // for who hands out sandboxes; a backend is told it with the Code
	Ahead         bool       // nobody waits for it yet: the backend may first get faster
	AllowDegraded bool       // open although a protection is missing; named in Boundary
}

// Claim is what a sandbox that was opened ahead of need learns once, before
// its first Run. Limits may only narrow those it was opened with.
type Claim struct {
	Identity Identity
	Inputs   []Input
	Limits   Limits
}

// Sink receives events in order. Blocking is back-pressure; an error cancels
// the run. A backend waits for its sink; the controller bounds how long a
// caller's may take.
type Sink func(context.Context, Event) error

// End is how a run ended, from the kernel's evidence.
type End struct {
	Status  Status
	Cause   Cause
	Usage   Usage
	Met     []Cause   // every limit the kernel saw met, whatever became the cause
	Refused []Refusal // system calls the wall refused, by name

	// Restored says what a session went back to because its cell was killed; nil
	// when the state lives on. The zero Restored.Checkpoint means that nothing
	// could be restored and the session is over.
	Restored *Restored
}

// Refusal counts one kind of refused call.
type Refusal struct {
	Call  string `json:"call"` // e.g. "ptrace", "socket(AF_INET)"
	Count int64  `json:"count"`
}

// Backend opens sandboxes. Its implementations pass backend/backendtest.
type Backend interface {
	// Probe says what this host can enforce, without opening a sandbox.
	Probe(context.Context) Report
	// Open makes a sandbox that nobody used. It fails with
	// CodeProtectionMissing when a protection of Spec cannot be had and
	// AllowDegraded is not set.
	Open(context.Context, Spec) (Sandbox, error)
	// Sweep removes what dead controllers left; alive says which instances
	// still run.
	Sweep(ctx context.Context, alive func(instance string) bool) error
	io.Closer
}

// Sandbox serves one execution (or one session) and is destroyed.
type Sandbox interface {
	// Bind is called once, before Run. See ErrSandboxGone for both.
	Bind(context.Context, Claim) error
	// Run sends code, delivers events until the code ended, waits until the
	// kernel says so, and returns how. A failing program is an End, not an
	// error.
	Run(context.Context, Code, Sink) (End, error)
	// Boundary says what holds this sandbox.
	Boundary() Boundary
	// Harvest ends every process and then gives the output directory. Names in
	// it are hostile: the FS opens regular files only, never follows links,
	// and each file read is bounded by the caller.
	Harvest(context.Context) (fs.FS, error)
	io.Closer
}

// Enforcement is how well a protection holds on this host.
type Enforcement string

// The three answers of a probe.
const (
	Enforced Enforcement = "enforced"
	Degraded Enforcement = "degraded"
	Missing  Enforcement = "missing"
)

// Report is what a backend can enforce on this host.
type Report struct {
	Backend     string       `json:"backend"`
	Usable      bool         `json:"usable"` // runs without AllowDegraded
	Protections []Protection `json:"protections"`
}

// Protection is one line of a Report.
type Protection struct {
	Name   string      `json:"name"` // e.g. "memory_limit"
	State  Enforcement `json:"state"`
	Detail string      `json:"detail,omitempty"` // by which mechanism
	Hint   string      `json:"hint,omitempty"`   // what to do when it is not enforced
}

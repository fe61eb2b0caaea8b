package abuse

import (
	"time"

	"github.com/cellwall/cellwall"
)

// Case is one row of the catalogue.
type Case struct {
	ID       string // letter and number, e.g. "F1"
	Title    string // what is attempted
	Boundary string // the protection that must hold, in words
	Attack   Program
	Runs     int                            // how often the attack runs in a row, each in a fresh sandbox; 0 = 1
	Crowd    int                            // how many of the attack run at once; 0 = 1
	Across   func(runs []Outcome) []Problem // looks at all runs together; nil = nothing
	Control  Control
	Sibling  Program
	Needs    []string // names of protections without which the end cannot be demanded, as in cellwall.Protection
}

// Program is something to run and how it must end.
type Program struct {
	File   string             // below programs/
	Text   func(World) string // in place of File: the source itself, nothing before it
	Inputs []File
	Limits cellwall.Limits // zero fields: the defaults
	Expect Expect

	Functions []cellwall.Function // that it may call

	// Callers are who asked for it, one run after the other; none = they stay.
	Callers []Caller
}

// File is one input of a program.
type File struct {
	Name string
	Data []byte
}

// Expect is what must be true of an Outcome. Every field that is set is one
// demand.
type Expect struct {
	Statuses []cellwall.Status // one of these; empty = ok
	Causes   []cellwall.Cause  // one of these, or one of them followed by ":detail"; empty = any
	Held     []string          // attempts that must have been reported as held
	Prints   []string          // each stands in stdout
	Lacks    []string          // none stands in anything that came out
	Skipped  []string          // each is among the skipped artifacts, as Go quotes it
	Kept     []string          // each is among the artifacts
	Within   time.Duration     // wall clock of the run
	Judge    func(Outcome) []Problem
}

// guard is the time that no run of the corpus may take, whatever is held up by
// it. It is wide, since a busy machine falsifies a finer one: that a deadline was
// kept is told by the cause, which the controller's clock decides.
const guard = 30 * time.Second

// Control is how an attack is shown to work where its protection is missing.
type Control struct {
	// Harness is the program below programs/ that runs the attack: "" is the
	// interpreter itself; others play a naive controller or zygote.
	Harness string
	// Runs is how often the attack runs in the same outer cell; 0 = Case.Runs.
	Runs int
	// Shows are the attempts that must be reported as escaped. Empty: those of
	// Expect.Held, or, when there are none either, at least one.
	Shows []string
	// Absent names attempts that no outer cell can show, and why.
	Absent map[string]string
	// Unshown is for a whole row that some hosts cannot show; nil = all can.
	Unshown *Unshown
	// Privileged gives the outer cell the host's own user namespace: needed
	// where the kernel asks for a capability there. Only for attempts that are
	// harmless with every capability.
	Privileged bool
	// MemoryBytes and Processes bound the outer cell; 0 = 768 MiB and 512.
	MemoryBytes int64
	Processes   int
	// Judge looks at what the outer cell saw, when lines are not the proof.
	Judge func(Exhibit) []Problem
	// Timeout ends the control; 0 = 20 s.
	Timeout time.Duration
}

// Problem is one demand that was not met, as a sentence.
type Problem string

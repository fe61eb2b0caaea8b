package backendtest

import (
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/pentest"
)

// cellSpec is what the outer cell's first process is told, as JSON on its
// standard input.
type cellSpec struct {
	Root        string // the environment's root, the layer below
	Interpreter string // inside it
	Scratch     string // empty directory on the host, covered by memory inside
	Mapped      bool   // in a user namespace of its own
	Attack      string // below programs/
	Bare        []byte // the attack's source where it is no file
	Harness     string // below programs/, "" = run the attack itself
	Runs        int
	Inputs      []abuse.File
	Limits      cellwall.Limits // for World only
	World       pentest.Where
	Timeout     time.Duration
}

// cellReport is its answer, as JSON on descriptor 3.
type cellReport struct {
	Exhibit abuse.Exhibit
	Stdout  []byte // Exhibit.Stdout, which JSON would damage
	Stderr  []byte
	Failure string // the outer cell's own fault
}

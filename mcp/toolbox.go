package mcp

import (
	"context"
	"io"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

// Toolbox runs tools for one client. Its methods are called from many goroutines,
// Call from one at a time.
type Toolbox interface {
	// Tools describes every tool that this client may ever be offered.
	Tools() []tools.Tool
	// Offers says of each whether it is offered now.
	Offers() []tools.Offer
	// Call judges and makes a call. Its error is not the model's: nothing ran, or
	// the caller has left.
	Call(ctx context.Context, tool string, arguments []byte) (Outcome, error)
	// Asked is told of a new question; "" when its words are not known.
	Asked(ctx context.Context, question string) error
	// Prompt is what a model is told of the datasets before it writes a program, with
	// the question; "" = without.
	Prompt(ctx context.Context, question string) (string, error)
	// Open gives an artifact of this client's. The caller closes it.
	Open(ctx context.Context, id string) (cellwall.Artifact, io.ReadCloser, error)
}

// Outcome is what became of a call.
type Outcome struct {
	Text      string // the observation: one JSON object, with "ok"
	OK        bool
	Execution string // "" = nothing ran
	Artifacts []cellwall.Artifact
	Figures   []cellwall.Artifact // that the program has shown, as artifacts are told of
}

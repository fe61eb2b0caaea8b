package agent

import (
	"context"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

// Toolbox runs tools for one question. It judges every call: one that is not
// offered, or that its schema does not take, is answered with what to do instead.
type Toolbox interface {
	Offers() []tools.Offer
	Call(ctx context.Context, tool, arguments string) (Outcome, error)
	Spend(tokens int)     // counts towards the budget
	Stop() *cellwall.Stop // the budget that is used up; nil = none
	Stage() tools.Stage
}

// Outcome is what became of a call.
type Outcome struct {
	Text      string              `json:"text"` // what the model is told: JSON
	OK        bool                `json:"ok"`
	Malformed bool                `json:"malformed,omitempty"` // no schema took it
	Execution string              `json:"execution,omitempty"` // "" = nothing ran
	Printed   string              `json:"-"`                   // where the numbers of the answer are looked for
	Artifacts []cellwall.Artifact `json:"artifacts,omitempty"`
	Figures   []cellwall.Artifact `json:"figures,omitempty"` // that the program has shown, as files
	Warnings  []string            `json:"warnings,omitempty"`
}

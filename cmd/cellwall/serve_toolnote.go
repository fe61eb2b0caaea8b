package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// toolNote is the record of a call of a tool: what was decided, and why. What ran has
// an entry of its own, with its code.
type toolNote struct {
	V         int               `json:"v"`    // 1
	Kind      string            `json:"kind"` // "tool_call"
	ID        string            `json:"id"`
	Call      string            `json:"request_id,omitempty"`
	At        time.Time         `json:"at"`
	Identity  cellwall.Identity `json:"identity"`
	Session   string            `json:"session_id,omitempty"` // none at the command line
	Tool      string            `json:"tool"`
	Stage     string            `json:"stage"`    // in which it was decided
	Decision  string            `json:"decision"` // ran, refused, malformed, waits
	Reason    string            `json:"reason,omitempty"`
	Instead   string            `json:"instead,omitempty"`   // the tool that would do it
	Arguments string            `json:"arguments,omitempty"` // of a call that did not run
	Execution string            `json:"execution_id,omitempty"`
	Approval  string            `json:"approval_id,omitempty"`
	OK        bool              `json:"ok"`
	Next      string            `json:"next_stage"`

	asked json.RawMessage
}

// newToolNote is the beginning of the record of a call.
func newToolNote(who cellwall.Identity, tool string, arguments json.RawMessage) toolNote {
	return toolNote{
		V: 1, Kind: "tool_call", ID: cellwall.NewID(cellwall.PrefixToolCall), At: time.Now().UTC(), Identity: who, Tool: tool, asked: arguments,
	}
}

// What became of a call.
const (
	toolRan       = "ran"
	toolRefused   = "refused"
	toolMalformed = "malformed"
)

// mostArguments is how much of a call that did not run a record holds.
const mostArguments = 16 << 10

// of notes what came of the call.
func (n *toolNote) of(o toolOutcome, next string) {
	n.OK, n.Execution, n.Next = o.OK, o.Execution, next
	switch {
	case n.Decision != "": // it waits
	case o.refused != nil:
		n.Decision, n.Reason, n.Instead = toolRefused, o.refused.Reason, o.refused.Instead
	case o.Malformed:
		n.Decision, n.Reason = toolMalformed, o.faults.String()
	default:
		n.Decision = toolRan
	}
	if n.Decision != toolRan {
		n.Arguments = strings.ToValidUTF8(string(n.asked[:min(len(n.asked), mostArguments)]), "")
	}
}

// record writes it: for the tenant to find, and into the log.
func (t *toolboxes) record(ctx context.Context, n toolNote) error {
	if mask := t.kept.ledger.masks(n.Identity.Tenant); mask != nil {
		n.Arguments, n.Reason = mask(n.Arguments), mask(n.Reason)
	}
	return t.kept.ledger.note(ctx, n.Identity.Tenant, n.ID, n.At, n)
}

// note keeps and records an entry that is of no execution, and what its tenant is told,
// before anybody is answered.
func (l *ledger) note(ctx context.Context, tenant, id string, at time.Time, entry any, told ...cellwall.Happening) error {
	text, err := plainJSON(entry)
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	if err := l.store.KeepEntry(context.WithoutCancel(ctx), tenant, id, at, text, told...); err != nil {
		return err
	}
	return l.finish(tenant, id, at, text)
}

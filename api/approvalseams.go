package api

import (
	"context"

	"github.com/cellwall/cellwall"
)

// Approvals keep what waits for a person. cmd joins package store to it, with a record
// and an event of each step. To every tenant but its own an approval is CodeNotFound.
type Approvals interface {
	// Ask keeps a request and, with it, the execution that waits when there is one: on
	// disk and recorded when it returns. CodeRateLimited: most wait already.
	Ask(ctx context.Context, a cellwall.Approval, k *cellwall.KeptExecution, most int) error
	Approval(ctx context.Context, tenant, id string) (cellwall.Approval, error)
	// Approvals lists, newest first; state "" is every one.
	Approvals(ctx context.Context, tenant string, state cellwall.ApprovalState, page cellwall.Page) (list []cellwall.Approval, next string, err error)
	// ApprovalOf is the newest that an execution waits for, or that is of an artifact.
	ApprovalOf(ctx context.Context, tenant string, kind cellwall.ApprovalKind, thing string) (cellwall.Approval, error)
	// Decide keeps a decision, once: CodeConflict when there is one. The execution that
	// waited waits for its turn from then on, with the request that it is given.
	Decide(ctx context.Context, a cellwall.Approval, request []byte) error
	// Done keeps what came of a tool's call; Undone are the calls that a service which
	// died has decided and not made.
	Done(ctx context.Context, a cellwall.Approval) error
	Undone(ctx context.Context) ([]cellwall.Approval, error)
	// Overdue are those that nobody decided in time, or before their session was over.
	Overdue(ctx context.Context) ([]cellwall.Approval, error)
}

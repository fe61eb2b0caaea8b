package policy

import (
	"context"
	"fmt"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/policy/review"
)

// Reviewer is asked last, of a program that nothing has refused. What it says can
// only refuse. An error is ours, not the program's. See review.Reviewer.
type Reviewer interface {
	Review(ctx context.Context, source string) (review.Opinion, error)
}

const ruleReview = "review"

// review asks the reviewer, if there is one. What it said becomes a finding either
// way: a record has to say who let a program run.
func (c *Chain) review(ctx context.Context, p Program) ([]cellwall.Finding, error) {
	if c.opts.Reviewer == nil {
		return nil, nil
	}
	said, err := c.opts.Reviewer.Review(ctx, p.Source)
	f := cellwall.Finding{Rule: ruleReview, Line: max(said.Line, 1), Advice: true}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("review code: %w", ctx.Err())
	case err != nil:
		c.opts.Logger.WarnContext(ctx, "review code", "error", err)
		f.Message, f.Advice = "the reviewer did not answer", c.opts.Unreviewed
		f.Instead = "the same program later, or ask the operator"
	case said.Refuse:
		f.Message, f.Advice = "the reviewer refuses it: "+said.Reason, false
		f.Instead = "an analysis of the data in df that does without it"
	default:
		f.Message = "the reviewer lets it pass: " + said.Reason
	}
	return []cellwall.Finding{f}, nil
}

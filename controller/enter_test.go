package controller

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// terms is an admission that answers as its fields say.
type terms struct {
	narrow, enter error
	stop          *cellwall.Stop
	left          []*cellwall.Result
}

func (t *terms) Narrow(req *cellwall.Request) error {
	req.Limits.Timeout = 3 * time.Second
	return t.narrow
}

func (t *terms) Enter(context.Context, cellwall.Request) (Turn, *cellwall.Stop, error) {
	return Turn{Leave: func(r *cellwall.Result) { t.left = append(t.left, r) }}, t.stop, t.enter
}

func TestM42_TermsDecideWhatBeginsAndEveryRefusalIsRecorded(t *testing.T) {
	busy := &cellwall.Error{Code: cellwall.CodeBusy, Op: "wait", Err: errors.New("full"), RetryAfter: time.Second}
	for name, test := range map[string]struct {
		terms  terms
		status cellwall.Status
		code   cellwall.ErrorCode // of the refusal; "" = there is a Result
		left   int
		env    error // of its environment
	}{
		"begins":              {terms{}, cellwall.StatusOK, "", 1, nil},
		"no turn":             {terms{enter: busy}, cellwall.StatusRefused, cellwall.CodeBusy, 0, nil},
		"more than allowed":   {terms{narrow: &cellwall.Error{Code: cellwall.CodeForbidden}}, cellwall.StatusRefused, cellwall.CodeForbidden, 0, nil},
		"a budget reached":    {terms{stop: &cellwall.Stop{Reason: cellwall.StopTime}}, cellwall.StatusRefused, "", 0, nil},
		"gone while waiting":  {terms{enter: context.Canceled}, cellwall.StatusCancelled, "", 0, nil},
		"no such environment": {terms{}, cellwall.StatusRefused, cellwall.CodeEnvironmentMissing, 1, &cellwall.Error{Code: cellwall.CodeEnvironmentMissing}},
	} {
		t.Run(name, func(t *testing.T) {
			h := &house{next: ok(), envErr: test.env}
			c := h.controller(t)
			c.opts.Admission = &test.terms
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if errors.Is(test.terms.enter, context.Canceled) {
				cancel()
			}
			r, err := c.Run(ctx, cellwall.Request{ID: "exec_mine", Code: "1"})
			if test.code != "" != (err != nil) || err != nil && cellwall.CodeOf(err) != test.code {
				t.Fatalf("Run() = %v, want code %q", err, test.code)
			}
			if len(h.entries) != 1 {
				t.Fatalf("%d entries, want 1", len(h.entries))
			}
			e := h.entries[0]
			if e.ID != "exec_mine" || e.Status != test.status || e.Refusal != test.code || e.Code != "1" || e.Limits.TimeoutMS != 3000 && test.terms.narrow == nil {
				t.Errorf("entry %+v", e)
			}
			if e.Result != r || len(test.terms.left) != test.left {
				t.Errorf("left %d times; the entry has %v, answered was %v", len(test.terms.left), e.Result, r)
			}
		})
	}
}

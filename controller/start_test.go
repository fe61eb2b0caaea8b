package controller

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cellwall/cellwall"
)

// putOff is a context that ended because what was not sent is done later.
func putOff() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(fmt.Errorf("the service stops: %w", cellwall.ErrNotSent))
	return ctx
}

func TestM49_WorkIsBegunOnceBehindTheTurnAndTheClaimOrNothingOfItHappens(t *testing.T) {
	gone := fmt.Errorf("send code: %w", cellwall.ErrSandboxGone)
	for _, c := range []struct {
		name  string
		ctx   context.Context
		first *script
		begin error
		asked int // how often it may be sent
		taken int // sandboxes, which are given back
		ran   bool
	}{
		{"it is sent", context.Background(), ok(), nil, 1, 1, true},
		{"another sandbox, as the first one died unused", context.Background(), &script{runErr: gone}, nil, 1, 2, true},
		{"somebody else has it", context.Background(), ok(), errors.New("not mine"), 1, 1, false},
		{"it is put off", putOff(), ok(), nil, 0, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &house{next: c.first, then: ok()}
			if c.ctx.Err() != nil {
				h.claimErr, c.taken = context.Canceled, 0
			}
			asked := 0
			r, err := h.controller(t).Run(c.ctx, cellwall.Request{Code: "1", Begin: func(context.Context) error {
				if asked++; h.spec.Limits.Timeout == 0 || c.first.ran {
					t.Error("it is asked before there is a sandbox, or behind the code")
				}
				return c.begin
			}})
			if asked != c.asked || h.destroyed != c.taken || c.first.ran != c.ran || (err == nil) != c.ran {
				t.Errorf("asked %d times, %d sandboxes given back, ran %v: %v, %v", asked, h.destroyed, c.first.ran, r, err)
			}
			if !c.ran && !errors.Is(err, cellwall.ErrNotSent) {
				t.Errorf("it fails with %v", err)
			}
			if records := len(h.entries); (records == 1) != c.ran {
				t.Errorf("%d records", records)
			}
		})
	}
}

func TestM49_ACellIsBegunJustBeforeItIsSentOrTakesNothing(t *testing.T) {
	for _, begin := range []error{nil, errors.New("not mine")} {
		h := newSessions()
		o := h.open(t, cellwall.Request{})
		h.entries = nil
		r, err := o.Cell(t.Context(), cellwall.Request{Code: "1", Begin: func(context.Context) error { return begin }}, 1, nil)
		if sent := len(h.live.cells) == 1; sent != (begin == nil) || errors.Is(err, cellwall.ErrNotSent) == sent || (len(h.entries) == 1) != sent {
			t.Errorf("sent %v, %d records: %v, %v", sent, len(h.entries), r, err)
		}
		if h.destroyed != 0 {
			t.Error("the session lost its sandbox")
		}
	}
}

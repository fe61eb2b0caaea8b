package controller

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// carrier is a session whose state goes to another one: it says what was lost a while
// after the last byte of the state.
type carrier struct {
	*live
	after time.Duration
}

const carried = "a state"

func (c *carrier) Export(ctx context.Context, w io.Writer) ([]cellwall.Notice, error) {
	if _, err := io.WriteString(w, carried); err != nil {
		return nil, err
	}
	select {
	case <-time.After(c.after):
		return []cellwall.Notice{{Code: "lost_thread"}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Begin reads as far as the state goes, and no further.
func (c *carrier) Begin(ctx context.Context, code cellwall.Code, sink cellwall.Sink) (cellwall.End, error) {
	if code.State != nil {
		if _, err := io.ReadFull(code.State, make([]byte, len(carried))); err != nil {
			return cellwall.End{}, err
		}
	}
	return c.live.Begin(ctx, code, sink)
}

// carriers are sessions of which each is a carrier.
type carriers struct {
	*sessions
	sandbox *carrier
}

func (c carriers) Claim(context.Context, cellwall.Spec) (cellwall.Sandbox, error) {
	return c.sandbox, nil
}

func TestM40_ABranchStandsWhenItsOriginIsSlowToSayWhatWasLost(t *testing.T) {
	for name, test := range map[string]struct {
		after time.Duration
		ok    bool
	}{"at once": {0, true}, "a moment later": {time.Second, true}, "never": {time.Hour, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSessions()
				all := carriers{s, &carrier{s.live, test.after}}
				c, err := New(Options{
					Pools: map[string]Sandboxes{"native": all}, Backend: "native", Environments: s, Environment: "basic",
					MergeDatasets: s.Merge, Harvester: s, Observe: s.Observe, Recorder: s, Follow: func() Follower { return &s.follower },
				})
				if err != nil {
					t.Fatal(err)
				}
				o, _, err := c.Open(t.Context(), cellwall.Request{}, Session{ID: cellwall.NewID(cellwall.PrefixSession)})
				if err != nil {
					t.Fatal(err)
				}
				defer o.Close()
				branch, lost, _, err := o.Beside(t.Context(), Session{ID: cellwall.NewID(cellwall.PrefixSession)})
				if test.ok && (err != nil || len(lost) != 1) || !test.ok && err == nil {
					t.Errorf("%+v, lost %+v, %v", branch, lost, err)
				}
				if branch != nil {
					branch.Close()
				}
			})
		})
	}
}

package session

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// Whoever calls whatever whenever: two are never inside at once nor anybody
// after the end (the kernel panics), every call is answered, and history and
// state agree.
func TestM40_ACrowdFindsASessionInOrder(t *testing.T) {
	for round := range 20 {
		synctest.Test(t, func(t *testing.T) {
			k := newKernel()
			s := create(t, k, Options{Queue: 3, Idle: time.Minute, Total: time.Hour})
			var crowd sync.WaitGroup
			for person := range 6 {
				dice := rand.New(rand.NewPCG(uint64(round), uint64(person)))
				crowd.Go(func() {
					for range 40 {
						if err := somebody(t.Context(), s, dice); !expected(err) {
							t.Errorf("round %d: %v", round, err)
						}
					}
				})
			}
			crowd.Wait()
			if err := s.Resume(t.Context()); !expected(err) {
				t.Error(err)
			}
			state := slices.DeleteFunc(slices.Clone(k.state), func(c string) bool { return c == "reseeded" })
			if got := lives(s); !slices.Equal(got, state) {
				t.Errorf("round %d: history has %q, the state %q", round, got, state)
			}
		})
	}
}

// somebody does something.
func somebody(ctx context.Context, s *Session, dice *rand.Rand) (err error) {
	time.Sleep(time.Duration(dice.IntN(2000)) * time.Millisecond)
	codes := []string{"1", "2", "skip 3", "fail", "die", "refused", "wait"}
	switch what := dice.IntN(40); what {
	case 0:
		_, err = s.Rollback(ctx, cellwall.Return{To: "cp_0"})
	case 1:
		_, err = s.Undo(ctx)
	case 2:
		_, err = s.Drop(ctx, cellwall.Return{To: "cp_0"})
	case 3, 4, 5:
		_, err = s.Branch(ctx, []string{"a", "b", Main}[what-3])
	case 6:
		err = s.Pause(ctx)
	case 7, 8, 9:
		err = s.Resume(ctx)
	case 10:
		_, err = s.Ask(ctx, cellwall.Question{})
	case 11:
		_, err = s.Checkpoints(ctx)
	case 12, 13, 14, 15:
		err = s.Interrupt()
	case 16:
		if dice.IntN(20) == 0 {
			err = s.Close()
		}
	default:
		own, cancel := context.WithTimeout(ctx, time.Duration(dice.IntN(4000))*time.Millisecond)
		defer cancel()
		_, err = s.Cell(own, Cell{Code: codes[dice.IntN(len(codes))]}, nil)
	}
	return err
}

// expected tells an answer of the house from a fault.
func expected(err error) bool {
	code := cellwall.CodeOf(err)
	return err == nil || errors.Is(err, context.DeadlineExceeded) ||
		slices.Contains([]cellwall.ErrorCode{cellwall.CodeBusy, cellwall.CodeConflict, cellwall.CodeNotFound}, code)
}

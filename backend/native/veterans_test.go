package native

import (
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// scale is told by timers, too.
type scale struct{ weight atomic.Int64 }

func (s *scale) SetWeight(weight int) error { s.weight.Store(int64(weight)); return nil }

func (s *scale) weighs() int { return int(s.weight.Load()) }

func TestR80_LongRunsWeighTogetherAsHalfANewOnePerProcessor(t *testing.T) {
	const processors = 2
	v := newVeterans(processors, slog.New(slog.DiscardHandler))
	var all []*scale
	for n := 1; n <= 200; n++ {
		s := &scale{}
		all = append(all, s)
		v.join(s)
		total := 0
		for _, one := range all {
			if one.weighs() != all[0].weighs() {
				t.Fatalf("of %d, one weighs %d and another %d", n, one.weighs(), all[0].weighs())
			}
			total += one.weighs()
		}
		if total > 512*processors || n > processors && total <= 256*processors {
			t.Fatalf("%d together weigh %d, want about %d", n, total, 512*processors)
		}
	}
	for _, one := range all[1:] {
		v.leave(one)
	}
	if all[0].weighs() != 512 {
		t.Errorf("the last one weighs %d, want 512", all[0].weighs())
	}
	v.leave(all[0])
	v.leave(all[0])
	if all[199].weighs() != 1024 || all[0].weighs() != 1024 {
		t.Errorf("who has left weighs %d and %d, want 1024", all[199].weighs(), all[0].weighs())
	}
	if len(v.groups) != 0 {
		t.Errorf("%d groups are kept", len(v.groups))
	}
}

func TestR80_RunsGoBeforeASandboxThatIsOpenedAhead(t *testing.T) {
	v, s := newVeterans(2, slog.New(slog.DiscardHandler)), &scale{}
	end := v.behindRuns(s)
	if s.weighs() != 256 {
		t.Errorf("while it is opened it weighs %d, want 256", s.weighs())
	}
	if end(); s.weighs() != 1024 {
		t.Errorf("ready, it weighs %d, want 1024", s.weighs())
	}
}

func TestM43_ARunThatGoesBeforeOthersWeighsMoreUntilItHasTakenLong(t *testing.T) {
	for name, c := range map[string]struct {
		precedence          cellwall.Precedence
		early, late, behind int // its weight soon after it began, after a second, and at its end
	}{
		"even":   {cellwall.Even, 1024, 512, 1024},
		"before": {cellwall.Before, 64 * 1024, 512, 1024},
		"behind": {cellwall.Behind, 1024, 512, 1024},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := newVeterans(2, slog.New(slog.DiscardHandler))
				for _, long := range []bool{false, true} {
					s := &scale{}
					s.weight.Store(1024)
					end := v.serve(s, c.precedence)
					if s.weighs() != c.early {
						t.Errorf("it begins with the weight %d, want %d", s.weighs(), c.early)
					}
					if long {
						time.Sleep(time.Second)
						synctest.Wait()
						if s.weighs() != c.late {
							t.Errorf("after a second it weighs %d, want %d", s.weighs(), c.late)
						}
					}
					if end(); s.weighs() != c.behind {
						t.Errorf("at its end it weighs %d, want %d", s.weighs(), c.behind)
					}
				}
			})
		})
	}
}

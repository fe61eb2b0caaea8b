package native

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

type scale struct{ weight int }

func (s *scale) SetWeight(weight int) error { s.weight = weight; return nil }

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
			if one.weight != all[0].weight {
				t.Fatalf("of %d, one weighs %d and another %d", n, one.weight, all[0].weight)
			}
			total += one.weight
		}
		if total > 512*processors || n > processors && total <= 256*processors {
			t.Fatalf("%d together weigh %d, want about %d", n, total, 512*processors)
		}
	}
	for _, one := range all[1:] {
		v.leave(one)
	}
	if all[0].weight != 512 {
		t.Errorf("the last one weighs %d, want 512", all[0].weight)
	}
	v.leave(all[0])
	v.leave(all[0])
	if all[199].weight != 1024 || all[0].weight != 1024 {
		t.Errorf("who has left weighs %d and %d, want 1024", all[199].weight, all[0].weight)
	}
	if len(v.groups) != 0 {
		t.Errorf("%d groups are kept", len(v.groups))
	}
}

func TestR80_RunsGoBeforeASandboxThatIsOpenedAhead(t *testing.T) {
	v, s := newVeterans(2, slog.New(slog.DiscardHandler)), &scale{}
	end := v.behindRuns(s)
	if s.weight != 256 {
		t.Errorf("while it is opened it weighs %d, want 256", s.weight)
	}
	if end(); s.weight != 1024 {
		t.Errorf("ready, it weighs %d, want 1024", s.weight)
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
					s := &scale{weight: 1024}
					end := v.serve(s, c.precedence)
					if s.weight != c.early {
						t.Errorf("it begins with the weight %d, want %d", s.weight, c.early)
					}
					if long {
						time.Sleep(time.Second)
						if s.weight != c.late {
							t.Errorf("after a second it weighs %d, want %d", s.weight, c.late)
						}
					}
					if end(); s.weight != c.behind {
						t.Errorf("at its end it weighs %d, want %d", s.weight, c.behind)
					}
				}
			})
		})
	}
}

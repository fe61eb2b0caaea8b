package queue

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// flood has n requests of a tenant come, and is ended by letting each go.
func flood(t *testing.T, q *Queue, tenant string, n int) (all []*request, end func()) {
	t.Helper()
	for range n {
		all = append(all, waitingOrIn(t, q, tenant))
	}
	return all, func() {
		for _, r := range all {
			<-r.done
			r.turn.Leave() // more than once does nothing
		}
	}
}

func TestM43_WhoComesNowAndThenGoesBeforeWhoHasManyHere(t *testing.T) {
	for name, c := range map[string]struct {
		here map[string]int // requests of others when "quiet" comes
		took time.Duration  // its latest turn
		away time.Duration  // since then
		want cellwall.Precedence
	}{
		"nobody else":                   {nil, 0, 0, cellwall.Even},
		"one other":                     {map[string]int{"other": 1}, 0, 0, cellwall.Even},
		"others, each with one":         {map[string]int{"other": 1, "third": 1}, 0, 0, cellwall.Even},
		"one who has not all the turns": {map[string]int{"other": 3}, 0, 0, cellwall.Even},
		"who would have all turns":      {map[string]int{"flood": 4}, 0, 0, cellwall.Before},
		"a long line":                   {map[string]int{"flood": 20}, 0, 0, cellwall.Before},
		"after a pause":                 {map[string]int{"flood": 4}, time.Second, time.Second, cellwall.Before},
		"without one":                   {map[string]int{"flood": 4}, time.Second, time.Second - 1, cellwall.Even},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := New(Options{Servers: 4})
				leave := enter(t, q, "quiet") // one turn is left for it from now on
				time.Sleep(c.took)
				leave()
				for tenant, n := range c.here {
					_, end := flood(t, q, tenant, n)
					defer end()
				}
				time.Sleep(c.away)
				turn, err := q.Enter(t.Context(), "quiet", 0)
				if err != nil || turn.Precedence != c.want {
					t.Errorf("precedence %d (%v), want %d", turn.Precedence, err, c.want)
				}
				turn.Leave()
			})
		})
	}
}

func TestM43_AFloodStandsBehindWhileOthersAreHere(t *testing.T) {
	for name, c := range map[string]struct {
		others bool
		want   cellwall.Precedence // of the turn that the end of the first gives away
	}{
		"alone":         {false, cellwall.Even},
		"beside others": {true, cellwall.Behind},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := New(Options{Servers: 4})
				if c.others {
					enter(t, q, "quiet")()
				}
				all, end := flood(t, q, "flood", 8)
				defer end()
				next := all[3] // one turn is left for others
				if !c.others {
					next = all[4]
				}
				if next.over() {
					t.Fatal("it has a turn already")
				}
				all[0].turn.Leave()
				if <-next.done; next.turn.Precedence != c.want {
					t.Errorf("precedence %d, want %d", next.turn.Precedence, c.want)
				}
			})
		})
	}
}

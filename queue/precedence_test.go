package queue

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

func TestM43_WhoComesNowAndThenGoesBeforeWhoHasManyHere(t *testing.T) {
	for name, c := range map[string]struct {
		here []string // in turns, or waiting for one, when "quiet" comes
		want cellwall.Precedence
	}{
		"nobody else":              {nil, cellwall.Even},
		"one other":                {[]string{"other"}, cellwall.Even},
		"others, each with one":    {[]string{"other", "third"}, cellwall.Even},
		"a flood that runs":        {[]string{"flood", "flood"}, cellwall.Before},
		"a flood that waits":       {[]string{"flood", "flood", "flood", "flood", "flood"}, cellwall.Before},
		"many of its own":          {[]string{"quiet"}, cellwall.Even},
		"many of its own, and one": {[]string{"quiet", "other"}, cellwall.Behind},
		"two floods":               {[]string{"quiet", "flood", "flood"}, cellwall.Behind},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := New(Options{Servers: 4})
				enter(t, q, "quiet")() // one turn is left for it
				var all []*request
				for _, who := range c.here {
					all = append(all, waitingOrIn(t, q, who))
				}
				turn, err := q.Enter(t.Context(), "quiet", 0)
				if err != nil || turn.Precedence != c.want {
					t.Errorf("precedence %d (%v), want %d", turn.Precedence, err, c.want)
				}
				turn.Leave()
				for _, r := range all {
					<-r.done
					r.turn.Leave()
				}
			})
		})
	}
}

func TestM43_AFloodStandsBehindAsLongAsOthersAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 4})
		enter(t, q, "quiet")()
		first, err := q.Enter(t.Context(), "flood", 0)
		if err != nil || first.Precedence != cellwall.Even {
			t.Errorf("the first of many has precedence %d (%v), want %d", first.Precedence, err, cellwall.Even)
		}
		second, _ := q.Enter(t.Context(), "flood", 0)
		if second.Precedence != cellwall.Behind {
			t.Errorf("the second has precedence %d, want %d", second.Precedence, cellwall.Behind)
		}
		second.Leave()
		time.Sleep(2 * Remembered)
		enter(t, q, "flood")() // has the forgotten swept away
		second, _ = q.Enter(t.Context(), "flood", 0)
		if second.Precedence != cellwall.Even {
			t.Errorf("with nobody else here it has precedence %d, want %d", second.Precedence, cellwall.Even)
		}
		second.Leave()
		first.Leave()
	})
}

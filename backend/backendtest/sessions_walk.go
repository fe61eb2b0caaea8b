package backendtest

import (
	"math/rand/v2"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// walk goes through a tree at random and compares with what it should be.
func walk(t *testing.T, s Setup) {
	steps, seed := 60, rand.Uint64()
	if testkit.Long() {
		steps = 1000
	}
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	k := beginKeeper(t, s, cellwall.Limits{Checkpoints: 12})
	k.says(turn(0), "")
	state := map[string]int{k.at().ID: 0} // what each checkpoint must have
	now, next := 0, 1
	for len(state) < 10 { // ten branches of the first
		k.back(cellwall.Return{To: k.list()[1].ID})
		k.says(turn(next), "")
		state[k.at().ID], now = next, next
		next++
	}
	for range steps {
		switch all := k.list(); r.IntN(4) {
		case 0:
			k.says(turn(next), "")
			now = next
			next++
			state[k.at().ID] = now
		case 1:
			k.died(k.cell(turn(-1)+"\nimport os\nos._exit(3)"), "crashed exit:3")
		default:
			to := all[r.IntN(len(all))].ID
			want, known := state[to]
			if !known { // the one before the first turn
				continue
			}
			k.back(cellwall.Return{To: to})
			now = want
		}
		k.has(now)
		state[k.at().ID] = now
	}
	t.Logf("%d states seen, %d checkpoints kept", next, len(k.list()))
}

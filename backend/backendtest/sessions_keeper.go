package backendtest

import (
	"fmt"
	"testing"

	"github.com/cellwall/cellwall"
)

// keeper is a notebook that can go back.
type keeper struct {
	*notebook
	cellwall.Checkpointer
}

func beginKeeper(t *testing.T, s Setup, l cellwall.Limits) keeper {
	t.Helper()
	n := begin(t, s, l)
	c, ok := n.Interpreter.(cellwall.Checkpointer)
	if !ok {
		t.Fatalf("a %T is no Checkpointer", n.Interpreter)
	}
	return keeper{n, c}
}

func (k keeper) list() []cellwall.Checkpoint {
	k.t.Helper()
	all, err := k.Checkpoints(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	return all
}

// at is the checkpoint that the live state grows from.
func (k keeper) at() cellwall.Checkpoint {
	k.t.Helper()
	var live []cellwall.Checkpoint
	for _, c := range k.list() {
		if c.Live {
			live = append(live, c)
		}
	}
	if len(live) != 1 {
		k.t.Fatalf("live are %+v, want one", live)
	}
	return live[0]
}

func (k keeper) back(to cellwall.Return) cellwall.Restored {
	k.t.Helper()
	r, err := k.Rollback(k.t.Context(), to)
	if err != nil {
		k.t.Fatalf("roll back to %q: %v", to.To, err)
	}
	if to.To != "" && r.Checkpoint != to.To {
		k.t.Errorf("went back to %s, want %s", r.Checkpoint, to.To)
	}
	return r
}

// turn sets x and a file to the same number, look shows both.
func turn(i int) string { return fmt.Sprintf("x = %d\nwith open('f', 'w') as f: f.write(str(x))", i) }

const look = "print(x, open('f').read())"

func (k keeper) has(i int) {
	k.t.Helper()
	k.says(look, fmt.Sprintf("%d %d", i, i))
}

package pool_test

import (
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/pool"
)

func TestM43_Resize_opens_what_is_missing_and_destroys_what_is_too_much(t *testing.T) {
	h := &host{}
	p := pool.New(pool.Options{Open: h.plain, Target: 2})
	for _, target := range []int{6, 3, 0, 5} {
		p.Resize(target)
		eventually(t, "resized", func() bool {
			s := p.Stats()
			return s.Ready == target && s.Filling == 0 && h.open.Load() == int64(target)
		})
	}
	claimed := claim(t, p)
	p.Resize(0)
	eventually(t, "only the claimed one is open", func() bool { return h.open.Load() == 1 })
	if claimed.closed.Load() != 0 {
		t.Error("a claimed one was destroyed")
	}
	p.Destroy(claimed)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p.Resize(9)
	if n := h.open.Load(); n != 0 {
		t.Errorf("%d open after the end", n)
	}
}

func TestM43_Set_Resize_reaches_every_kind_and_those_to_come(t *testing.T) {
	h := &host{}
	s := pool.NewSet(pool.SetOptions{Backend: h, Pool: pool.Options{Target: 1}})
	defer s.Close()
	ready := func(env string) int {
		return s.Stats()[pool.KindOf(spec(env, nil), pool.Class(cellwall.DefaultLimits()))].Ready
	}
	s.Prepare(spec("a", nil))
	s.Resize(3)
	s.Prepare(spec("b", nil))
	eventually(t, "3 of both", func() bool { return ready("a") == 3 && ready("b") == 3 })
	s.Resize(0)
	eventually(t, "one is always kept", func() bool { return ready("a") == 1 && ready("b") == 1 && h.open.Load() == 2 })

	none := pool.NewSet(pool.SetOptions{Backend: h, Pool: pool.Options{}})
	defer none.Close()
	none.Resize(3)
	none.Prepare(spec("a", nil))
	if n := len(none.Stats()); n != 1 {
		t.Errorf("a set without stock keeps %d kinds", n-1)
	}
}

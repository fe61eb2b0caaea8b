package pool_test

import (
	"context"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/pool"
)

func TestM38_Hold_leaves_nothing_ready_and_refuses_until_Release(t *testing.T) {
	h := &host{}
	s := pool.NewSet(pool.SetOptions{Backend: h, Pool: pool.Options{Target: 3}})
	defer s.Close()
	s.Prepare(spec("a", nil))
	s.Prepare(spec("b", nil))
	eventually(t, "3 of both", func() bool { return h.open.Load() == 6 })
	out, err := s.Claim(context.Background(), spec("a", nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Hold(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "only what is claimed is open", func() bool { return h.open.Load() == 1 })
	opened := h.opened.Load()
	odd := spec("a", func(l *cellwall.Limits) { l.MemoryBytes = cellwall.GiB })
	for name, want := range map[string]cellwall.Spec{"a kind that was ready": spec("a", nil), "a new kind": spec("c", nil), "one that no kind serves": odd} {
		if _, err := s.Claim(context.Background(), want); cellwall.CodeOf(err) != cellwall.CodeLockedDown {
			t.Errorf("%s: %v, want locked_down", name, err)
		}
	}
	s.Resize(5)
	s.Destroy(out)
	if err := s.Hold(); err != nil {
		t.Errorf("a second time: %v", err)
	}
	eventually(t, "nothing is open", func() bool { return h.open.Load() == 0 })
	if n := h.opened.Load(); n != opened {
		t.Errorf("%d were opened while nothing runs", n-opened)
	}
	s.Release()
	eventually(t, "5 of each of the three kinds", func() bool { return h.open.Load() == 15 })
	again, err := s.Claim(context.Background(), odd)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	s.Destroy(again)
}

// What is being opened while Hold comes is not handed out, whoever opens it.
func TestM38_Hold_takes_what_is_being_opened(t *testing.T) {
	h := &host{delay: 50 * time.Millisecond}
	p := pool.New(pool.Options{Open: h.plain, Target: 2})
	claimed := make(chan error, 1)
	go func() {
		_, err := p.Claim(context.Background())
		claimed <- err
	}()
	eventually(t, "three are being opened", func() bool { h.mu.Lock(); defer h.mu.Unlock(); return h.now == 3 })
	if err := p.Hold(); err != nil {
		t.Fatal(err)
	}
	if err := <-claimed; cellwall.CodeOf(err) != cellwall.CodeLockedDown {
		t.Errorf("%v, want locked_down", err)
	}
	eventually(t, "nothing is open", func() bool { return p.Stats().Filling == 0 && h.open.Load() == 0 })
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Hold(); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

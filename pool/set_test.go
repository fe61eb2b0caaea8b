package pool_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/pool"
)

func spec(env string, change func(*cellwall.Limits)) cellwall.Spec {
	s := cellwall.Spec{
		Identity:    cellwall.Identity{Tenant: "acme"},
		Environment: cellwall.Environment{Name: env, Digest: "sha256:1"},
		Limits:      cellwall.DefaultLimits(),
		Inputs:      []cellwall.Input{{Name: "a.csv", FD: 7}},
	}
	if change != nil {
		change(&s.Limits)
	}
	return s
}

func TestSet_serves_narrower_limits_from_the_pool_and_wider_ones_directly(t *testing.T) {
	h := &host{}
	s := pool.NewSet(pool.SetOptions{Backend: h, Pool: pool.Options{Target: 3}})
	defer s.Close()
	kind := pool.KindOf(spec("a", nil), pool.Class(cellwall.DefaultLimits()))
	s.Prepare(spec("a", nil))
	for _, c := range []struct {
		name   string
		change func(*cellwall.Limits)
		memory int64 // of the sandbox as opened
		pooled bool
	}{
		{"the same", nil, 512 * cellwall.MiB, true},
		{"narrower memory", func(l *cellwall.Limits) { l.MemoryBytes = 100 * cellwall.MiB }, 512 * cellwall.MiB, true},
		{"longer time", func(l *cellwall.Limits) { l.Timeout = 60 * time.Second }, 512 * cellwall.MiB, true},
		{"wider memory", func(l *cellwall.Limits) { l.MemoryBytes = cellwall.GiB }, cellwall.GiB, false},
		{"a smaller workspace", func(l *cellwall.Limits) { l.WorkspaceBytes = cellwall.MiB }, 512 * cellwall.MiB, false},
		{"smaller inputs", func(l *cellwall.Limits) { l.InputBytes = cellwall.MiB }, 512 * cellwall.MiB, true},
		{"larger inputs", func(l *cellwall.Limits) { l.InputBytes = cellwall.GiB }, 512 * cellwall.MiB, false},
		{"more checkpoints", func(l *cellwall.Limits) { l.Checkpoints = 99 }, 512 * cellwall.MiB, true},
		{"more room for copies", func(l *cellwall.Limits) { l.CheckpointBytes = cellwall.GiB }, 512 * cellwall.MiB, false},
		{"more processes", func(l *cellwall.Limits) { l.Processes = 65 }, 512 * cellwall.MiB, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			eventually(t, "ready", func() bool { return s.Stats()[kind].Ready == 3 })
			before := s.Stats()[kind].Claimed
			sb, err := s.Claim(context.Background(), spec("a", c.change))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Destroy(sb)
			got := sb.(*sandbox).spec
			if got.Limits.MemoryBytes != c.memory || (s.Stats()[kind].Claimed > before) != c.pooled {
				t.Errorf("memory %d, from the pool %v", got.Limits.MemoryBytes, !c.pooled)
			}
			if got.Inputs != nil || got.Identity.Tenant != "" {
				t.Errorf("opened for somebody: %+v", got)
			}
		})
	}
}

// A session's sandbox has another filter: neither may serve for the other.
func TestM40_Set_keeps_sessions_and_single_runs_apart(t *testing.T) {
	h := &host{}
	s := pool.NewSet(pool.SetOptions{Backend: h, Pool: pool.Options{Target: 1}})
	defer s.Close()
	run, session := spec("a", nil), spec("a", nil)
	session.Session = true
	for _, want := range []cellwall.Spec{run, session} {
		s.Prepare(want)
		eventually(t, "ready", func() bool { return s.Stats()[pool.KindOf(want, pool.Class(want.Limits))].Ready == 1 })
	}
	for _, want := range []cellwall.Spec{session, run} {
		sb, err := s.Claim(context.Background(), want)
		if err != nil {
			t.Fatal(err)
		}
		if got := sb.(*sandbox).spec.Session; got != want.Session {
			t.Errorf("asked for a session: %v, was given one: %v", want.Session, got)
		}
		s.Destroy(sb)
	}
}

// A template belongs to one tenant: nothing that comes from it waits for whoever
// claims next, and the backend is told for whom it is opened.
func TestM40_Set_keeps_nothing_ready_from_a_template(t *testing.T) {
	h := &host{}
	s := pool.NewSet(pool.SetOptions{Backend: h, Pool: pool.Options{Target: 2}})
	defer s.Close()
	want := spec("a", nil)
	want.Template = "tpl_a"
	want.Limits.Rows = 77
	for _, tenant := range []string{"acme", "other"} {
		want.Identity = cellwall.Identity{Tenant: tenant, Subject: "somebody"}
		sb, err := s.Claim(context.Background(), want)
		if err != nil {
			t.Fatal(err)
		}
		got := sb.(*sandbox).spec
		if got.Template != "tpl_a" || got.Identity.Tenant != tenant || got.Identity.Subject != "" || got.Limits.Rows != 77 || got.Inputs != nil {
			t.Errorf("opened with %+v", got)
		}
		s.Destroy(sb)
	}
	if h.opened.Load() != 2 || len(s.Stats()) != 1 {
		t.Errorf("%d were opened, pools %v", h.opened.Load(), s.Stats())
	}
}

func TestSet_is_busy_when_most_are_out(t *testing.T) {
	h := &host{}
	s := pool.NewSet(pool.SetOptions{Backend: h, Most: 2, Pool: pool.Options{Target: 1}})
	var out []cellwall.Sandbox
	for _, env := range []string{"a", "b"} { // whatever their kind
		sb, err := s.Claim(context.Background(), spec(env, nil))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sb)
	}
	_, err := s.Claim(context.Background(), spec("a", nil))
	if cellwall.CodeOf(err) != cellwall.CodeBusy || cellwall.HintOf(err) == "" {
		t.Fatalf("a third claim: %v, want busy and a hint", err)
	}
	s.Destroy(out[0])
	sb, err := s.Claim(context.Background(), spec("a", nil))
	if err != nil {
		t.Fatalf("after one is gone: %v", err)
	}
	s.Destroy(sb)
	s.Destroy(out[1])
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Claim(context.Background(), spec("a", nil)); cellwall.CodeOf(err) != cellwall.CodeDraining {
		t.Errorf("a claim after the end: %v, want draining", err)
	}
}

func TestSet_does_not_count_claims_that_failed(t *testing.T) {
	s := pool.NewSet(pool.SetOptions{Backend: failing{}, Most: 1, Pool: pool.Options{}})
	defer s.Close()
	for range 3 {
		if _, err := s.Claim(context.Background(), spec("a", nil)); cellwall.CodeOf(err) == cellwall.CodeBusy || err == nil {
			t.Fatalf("claim: %v, want the backend's error", err)
		}
	}
}

type failing struct{}

func (failing) Open(context.Context, cellwall.Spec) (cellwall.Sandbox, error) {
	return nil, errors.New("it does not open")
}

func TestSet_bounds_the_kinds_it_keeps_ready(t *testing.T) {
	h := &host{}
	s := pool.NewSet(pool.SetOptions{Backend: h, Kinds: 2, Pool: pool.Options{Target: 1}})
	for i := range 10 {
		sb, err := s.Claim(context.Background(), spec(fmt.Sprint("env", i), nil))
		if err != nil {
			t.Fatal(err)
		}
		s.Destroy(sb)
	}
	if n := len(s.Stats()); n != 3 { // two kinds and the zero Kind
		t.Errorf("%d kinds in stats", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := h.open.Load(); n != 0 {
		t.Errorf("%d open after Close", n)
	}
	if _, err := s.Claim(context.Background(), spec("env0", nil)); cellwall.CodeOf(err) != cellwall.CodeDraining {
		t.Errorf("Claim() after Close = %v", err)
	}
}

func BenchmarkClaimDestroy(b *testing.B) {
	h := &host{}
	p := pool.New(pool.Options{Open: h.plain, Target: 64})
	defer p.Close()
	for b.Loop() {
		sb, err := p.Claim(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		p.Destroy(sb)
	}
}

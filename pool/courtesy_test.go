package pool_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/pool"
)

// standing is a spec for who stands so beside the others.
func standing(p cellwall.Precedence) cellwall.Spec {
	s := spec("a", nil)
	s.Precedence = p
	return s
}

// claimed is a claim from the set and how long it took.
func claimed(t *testing.T, s *pool.Set, p cellwall.Precedence) (sb cellwall.Sandbox, took time.Duration) {
	t.Helper()
	began := time.Now()
	sb, err := s.Claim(t.Context(), standing(p))
	if err != nil {
		t.Fatal(err)
	}
	return sb, time.Since(began)
}

func TestM43_WhoStandsBehindLeavesTheLastReadySandboxToTheOthers(t *testing.T) {
	for name, c := range map[string]struct {
		precedence cellwall.Precedence
		opened     bool // the fourth, where one is ready still
	}{
		"even":   {cellwall.Even, false},
		"before": {cellwall.Before, false},
		"behind": {cellwall.Behind, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{}
				s := pool.NewSet(pool.SetOptions{Backend: h, Pool: pool.Options{Target: 4, Fillers: 4}})
				s.Prepare(spec("a", nil))
				synctest.Wait()
				h.delay = time.Hour // nothing is filled meanwhile
				kind := pool.KindOf(spec("a", nil), pool.Class(cellwall.DefaultLimits()))
				for range 3 {
					sb, took := claimed(t, s, c.precedence)
					defer s.Destroy(sb)
					if took != 0 {
						t.Errorf("one that was ready took %v", took)
					}
				}
				if n := s.Stats()[kind].Ready; n != 1 {
					t.Fatalf("%d are ready, want 1", n)
				}
				last, took := claimed(t, s, c.precedence)
				defer s.Destroy(last)
				if opened := took >= time.Hour; opened != c.opened {
					t.Errorf("the last took %v, want it opened %v", took, c.opened)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestM43_NothingIsOpenedForOthersWhileARunGoesBeforeThem(t *testing.T) {
	for name, c := range map[string]struct {
		run  time.Duration // of who goes before
		want time.Duration // that somebody else's sandbox takes to open
		who  cellwall.Precedence
	}{
		"a short run":         {10 * time.Millisecond, 10 * time.Millisecond, cellwall.Behind},
		"a long one":          {time.Minute, 25 * time.Millisecond, cellwall.Behind},
		"another of its kind": {time.Minute, 0, cellwall.Before},
		"who has one":         {time.Minute, 0, cellwall.Even},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := pool.NewSet(pool.SetOptions{Backend: &host{}}) // each claim opens
				first, _ := claimed(t, s, cellwall.Before)
				time.AfterFunc(c.run, func() { s.Destroy(first) })
				sb, took := claimed(t, s, c.who)
				if took != c.want {
					t.Errorf("it took %v, want %v", took, c.want)
				}
				s.Destroy(sb)
				time.Sleep(2 * time.Minute)
				if sb, took = claimed(t, s, cellwall.Behind); took != 0 {
					t.Errorf("when all is over, it takes %v", took)
				}
				s.Destroy(sb)
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestM43_TheStockIsFilledBehindARunThatGoesBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		s := pool.NewSet(pool.SetOptions{Backend: h, Pool: pool.Options{Target: 1}})
		s.Prepare(spec("a", nil))
		synctest.Wait()
		opened := h.opened.Load()
		sb, _ := claimed(t, s, cellwall.Before)
		time.Sleep(10 * time.Millisecond)
		if n := h.opened.Load(); n != opened {
			t.Errorf("%d were opened beside it", n-opened)
		}
		s.Destroy(sb)
		synctest.Wait()
		if n := h.opened.Load(); n != opened+1 {
			t.Errorf("%d were opened behind it, want 1", n-opened)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestM43_RunsThatGoBeforeOneAfterAnotherDoNotKeepTheStockEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pool.NewSet(pool.SetOptions{Backend: &host{}})
		go func() {
			for range 100 { // each begins while the one before it is at work
				sb, _ := claimed(t, s, cellwall.Before)
				time.AfterFunc(15*time.Millisecond, func() { s.Destroy(sb) })
				time.Sleep(10 * time.Millisecond)
			}
		}()
		time.Sleep(time.Millisecond)
		for i, want := range []time.Duration{24 * time.Millisecond, 0, 0, 0} {
			sb, took := claimed(t, s, cellwall.Behind)
			if took != want {
				t.Errorf("%d: somebody else's sandbox took %v, want %v", i, took, want)
			}
			s.Destroy(sb)
			time.Sleep(13 * time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

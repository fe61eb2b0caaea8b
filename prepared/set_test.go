package prepared_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/prepared"
)

// backend makes templates of as many bytes as it is told; the contract of
// backend/backendtest has real ones.
type backend struct {
	bytes int64
	err   error
	hold  chan struct{} // Prepare waits for it; nil = not

	mu     sync.Mutex
	made   []cellwall.Spec
	living []string
}

func (b *backend) Prepare(ctx context.Context, spec cellwall.Spec) (cellwall.Template, error) {
	if b.hold != nil {
		select {
		case <-b.hold:
		case <-ctx.Done():
			return cellwall.Template{}, ctx.Err()
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made = append(b.made, spec)
	if b.err != nil {
		return cellwall.Template{}, b.err
	}
	name := fmt.Sprintf("tpl_%d", len(b.made))
	b.living = append(b.living, name)
	return cellwall.Template{Name: name, Bytes: b.bytes}, nil
}

func (b *backend) Forget(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.Index(b.living, name)
	if at < 0 {
		return &cellwall.Error{Code: cellwall.CodeNotFound}
	}
	b.living = slices.Delete(b.living, at, at+1)
	return nil
}

// spec is a dataset of a tenant; the number tells contents apart.
func spec(t *testing.T, tenant string, number int) cellwall.Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("x\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return cellwall.Spec{
		Identity: cellwall.Identity{Tenant: tenant}, Environment: cellwall.Environment{Name: "basic", Digest: "sha256:1"},
		Inputs: []cellwall.Input{{Name: "a.csv", FD: int(f.Fd()), Size: 4, SHA256: fmt.Sprintf("%064d", number)}},
	}
}

// use parses a dataset in place as often as it takes, and waits for what is made.
func use(s *prepared.Set, spec cellwall.Spec) {
	for range 2 {
		s.Parsed(spec, time.Second)
	}
	synctest.Wait()
}

// served reports whether there is a template.
func served(t *testing.T, s *prepared.Set, spec cellwall.Spec) bool {
	t.Helper()
	name, why := s.Choose(spec)
	if why != nil {
		t.Errorf("why not: %v", why)
	}
	return name != ""
}

// in runs a test with a clock of its own.
func in(t *testing.T, b *backend, o prepared.Options, test func(t *testing.T, s *prepared.Set)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Backend = b
		s := prepared.New(o)
		test(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait() // for a timer that fired just before
		if len(b.living) > 0 {
			t.Errorf("left behind: %v", b.living)
		}
	})
}

func TestM40_OneIsMadeWhenItPays(t *testing.T) {
	b := &backend{bytes: 1}
	in(t, b, prepared.Options{Worth: 100 * time.Millisecond}, func(t *testing.T, s *prepared.Set) {
		quick, unknown, sp := spec(t, "a", 1), spec(t, "a", 2), spec(t, "a", 3)
		unknown.Inputs[0].SHA256 = ""
		for range 3 {
			s.Parsed(quick, 99*time.Millisecond)
			s.Parsed(unknown, time.Minute)
		}
		s.Parsed(sp, time.Minute)
		synctest.Wait()
		if len(b.made) != 0 || served(t, s, quick) || served(t, s, unknown) || served(t, s, sp) {
			t.Errorf("made %+v", b.made)
		}
		sp.Limits.Timeout = 8 * time.Second
		s.Parsed(sp, time.Second)
		synctest.Wait()
		if len(b.made) != 1 || !served(t, s, sp) {
			t.Fatalf("made %+v", b.made)
		}
		if got := b.made[0]; got.Limits.Timeout != 12*time.Second || got.Limits.MemoryBytes != 2*cellwall.DefaultLimits().MemoryBytes || got.Inputs[0].FD == sp.Inputs[0].FD {
			t.Errorf("made with %+v", got)
		}
	})
}

func TestM40_AnotherTenantEnvironmentNameOrRowsIsAnotherDataset(t *testing.T) {
	in(t, &backend{bytes: 1}, prepared.Options{}, func(t *testing.T, s *prepared.Set) {
		sp := spec(t, "a", 1)
		use(s, sp)
		for what, change := range map[string]func(*cellwall.Spec){
			"tenant": func(c *cellwall.Spec) { c.Identity.Tenant = "b" },
			"build":  func(c *cellwall.Spec) { c.Environment.Digest = "sha256:2" },
			"rows":   func(c *cellwall.Spec) { c.Limits.Rows = 5 },
			"name":   func(c *cellwall.Spec) { c.Inputs = slices.Clone(c.Inputs); c.Inputs[0].Name = "b.csv" },
			"more":   func(c *cellwall.Spec) { c.Inputs = append(slices.Clone(c.Inputs), c.Inputs[0]) },
			"none":   func(c *cellwall.Spec) { c.Inputs = nil },
		} {
			other := sp
			if change(&other); served(t, s, other) {
				t.Errorf("%s: served", what)
			}
		}
		sp.Limits.MemoryBytes, sp.Session = cellwall.GiB, true
		if !served(t, s, sp) {
			t.Error("a session with other limits is not served")
		}
	})
}

func TestM40_TheBoundsOfATenantAndOfAllHold(t *testing.T) {
	b := &backend{bytes: 10}
	in(t, b, prepared.Options{PerTenant: 3, TenantBytes: 25, Most: 4, Bytes: 45}, func(t *testing.T, s *prepared.Set) {
		a := []cellwall.Spec{spec(t, "a", 1), spec(t, "a", 2), spec(t, "a", 3)}
		for _, sp := range a {
			use(s, sp)
			time.Sleep(time.Second)
		}
		if served(t, s, a[0]) || !served(t, s, a[1]) || !served(t, s, a[2]) {
			t.Error("the third of 10 bytes does not push out the first of 25")
		}
		time.Sleep(time.Second)
		quiet := spec(t, "b", 1)
		use(s, quiet)
		for i := range 4 { // the flood pushes out its own
			time.Sleep(time.Second)
			use(s, spec(t, "a", 10+i))
			use(s, spec(t, "c", 10+i))
		}
		if c := s.Counts(); !served(t, s, quiet) || c.Templates > 4 || c.Bytes > 45 {
			t.Errorf("a quiet tenant lost his: %+v", c)
		}
	})
}

func TestM40_OneThatNobodyUsesGoes(t *testing.T) {
	in(t, &backend{bytes: 1}, prepared.Options{Idle: time.Minute}, func(t *testing.T, s *prepared.Set) {
		sp := spec(t, "a", 1)
		use(s, sp)
		time.Sleep(50 * time.Second)
		if !served(t, s, sp) {
			t.Error("gone before its time")
		}
		time.Sleep(50 * time.Second)
		if !served(t, s, sp) {
			t.Error("gone although it was used")
		}
		time.Sleep(61 * time.Second)
		if served(t, s, sp) || s.Counts().Expired != 1 {
			t.Errorf("it stays: %+v", s.Counts())
		}
	})
}

func TestM40_WhatIsDroppedWhileItIsMadeNeverServes(t *testing.T) {
	b := &backend{bytes: 1}
	in(t, b, prepared.Options{}, func(t *testing.T, s *prepared.Set) {
		b.hold = make(chan struct{}) // of this test's own clock
		sp := spec(t, "a", 1)
		use(s, sp)
		s.Drop("a", sp.Inputs[0].SHA256)
		close(b.hold)
		synctest.Wait()
		if served(t, s, sp) || len(b.made) != 1 {
			t.Error("served behind its dataset")
		}
		use(s, sp)
		use(s, spec(t, "b", 1))
		s.DropTenant("a")
		if served(t, s, sp) || !served(t, s, spec(t, "b", 1)) {
			t.Error("a tenant is dropped, and no other")
		}
	})
}

func TestM40_ANewBuildOfAnEnvironmentEndsTheOldOnes(t *testing.T) {
	in(t, &backend{bytes: 1}, prepared.Options{}, func(t *testing.T, s *prepared.Set) {
		old, other := spec(t, "a", 1), spec(t, "b", 1)
		use(s, old)
		use(s, other)
		young := old
		young.Environment.Digest = "sha256:2"
		use(s, young)
		if served(t, s, old) || !served(t, s, young) || !served(t, s, other) {
			t.Error("the older build's goes, and no other tenant's")
		}
	})
}

func TestM40_AFailureIsToldAndTriedAgainWhereThatHelps(t *testing.T) {
	for code, again := range map[cellwall.ErrorCode]bool{cellwall.CodeDatasetUnreadable: false, cellwall.CodeBusy: true} {
		b := &backend{bytes: 1, err: &cellwall.Error{Code: code, Err: errors.New("because")}}
		in(t, b, prepared.Options{}, func(t *testing.T, s *prepared.Set) {
			sp := spec(t, "a", 1)
			use(s, sp)
			if name, why := s.Choose(sp); name != "" || why == nil || why.Error() != "because" {
				t.Errorf("%s: %q, %v", code, name, why)
			}
			use(s, sp)
			if len(b.made) != 1 {
				t.Errorf("%s: tried %d times at once", code, len(b.made))
			}
			time.Sleep(2 * time.Minute)
			if use(s, sp); (len(b.made) > 1) != again {
				t.Errorf("%s: tried %d times", code, len(b.made))
			}
			if err := s.Prepare(t.Context(), sp); cellwall.CodeOf(err) != code {
				t.Errorf("%s: asked for, %v", code, err)
			}
		})
	}
}

func TestM40_PrepareWaitsAndALostOneIsMadeAgain(t *testing.T) {
	b := &backend{bytes: 1}
	in(t, b, prepared.Options{}, func(t *testing.T, s *prepared.Set) {
		sp := spec(t, "a", 1)
		for range 2 {
			if err := s.Prepare(t.Context(), sp); err != nil || !served(t, s, sp) {
				t.Fatalf("%v", err)
			}
		}
		s.Lost(sp, "tpl_other")
		if !served(t, s, sp) {
			t.Error("lost, says somebody about another one")
		}
		name, _ := s.Choose(sp)
		s.Lost(sp, name)
		s.Lost(sp, name)
		synctest.Wait()
		if next, _ := s.Choose(sp); next == "" || next == name || len(b.made) != 2 {
			t.Errorf("mended: %q behind %q, made %d", next, name, len(b.made))
		}
		sp.Inputs[0].SHA256 = ""
		if err := s.Prepare(t.Context(), sp); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("of unknown content: %v", err)
		}
	})
}

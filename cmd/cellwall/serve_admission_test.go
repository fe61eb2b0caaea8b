package main

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/pool"
	"github.com/cellwall/cellwall/queue"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/store"
)

// openAdmission is the real desk over a real store, with one tenant.
func openAdmission(t testing.TB, o queue.Options, terms cellwall.Terms) (*admission, cellwall.Identity) {
	t.Helper()
	book, err := store.Open(context.Background(), "sqlite:"+filepath.Join(t.TempDir(), "service.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { book.Close() })
	desk, err := quota.New(context.Background(), quota.Options{Book: book, Backend: defaultBackend, Environment: defaultEnvironment, Quarantine: quota.Quarantine{Hits: 3}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { desk.Close() })
	who, err := desk.AddTenant(context.Background(), cellwall.NewID(cellwall.PrefixTenant), "acme", terms)
	if err != nil {
		t.Fatal(err)
	}
	return &admission{desk: desk, queue: queue.New(o)}, cellwall.Identity{Tenant: who.ID, Subject: "ann"}
}

func TestM43_A_request_that_is_not_let_in_holds_nothing(t *testing.T) {
	a, who := openAdmission(t, queue.Options{Servers: 1}, cellwall.Terms{Concurrency: 3, Waiting: 1})
	req := cellwall.Request{Identity: who, TokenCost: 2}
	first, stop, err := a.Enter(t.Context(), req)
	if err != nil || stop != nil {
		t.Fatal(stop, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error)
	go func() {
		_, _, err := a.Enter(ctx, req)
		waits <- err
	}()
	for a.queue.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	for range 5 { // the tenant's line is full, each time: its concurrency is not used up
		if _, _, err := a.Enter(t.Context(), req); cellwall.CodeOf(err) != cellwall.CodeRateLimited || cellwall.RetryAfterOf(err) <= 0 {
			t.Fatalf("%v", err)
		}
	}
	cancel()
	if err := <-waits; err == nil {
		t.Error("a cancelled request came in")
	}
	first.Leave(&cellwall.Result{OK: true, Status: cellwall.StatusOK, Usage: cellwall.Usage{WallMS: 5}})
	again, _, err := a.Enter(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	again.Leave(nil)
	if s := a.queue.Stats(); s.Running != 0 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
	rows, err := a.desk.Usage(t.Context(), who.Tenant, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	if err != nil || len(rows) != 1 || rows[0].Executions != 1 || rows[0].Refused != 5 || rows[0].TokenCost != 2 || rows[0].Subject != "ann" {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestM34_Refused_calls_of_records_lead_into_quarantine(t *testing.T) {
	a, who := openAdmission(t, queue.Options{}, cellwall.Terms{})
	w := watched{next: discard{}, desk: a.desk}
	for _, e := range []controller.Entry{
		{Identity: who, Status: cellwall.StatusError, Refused: []cellwall.Refusal{{Call: "ptrace", Count: 9}}},
		{Identity: who, Status: cellwall.StatusRefused, Refusal: cellwall.CodeBusy, Refused: []cellwall.Refusal{{Call: "none of it ran"}}},
		{Identity: who, Status: cellwall.StatusOK},
		{Identity: who, Status: cellwall.StatusMemoryLimit, Cause: cellwall.CauseOOM},
	} {
		if err := w.Append(time.Now(), e); err != nil {
			t.Fatal(err)
		}
	}
	turn, _, err := a.Enter(t.Context(), cellwall.Request{Identity: who})
	if err != nil {
		t.Fatalf("two of three: %v", err)
	}
	turn.Leave(nil)
	if err := w.Append(time.Now(), controller.Entry{Identity: who, Refused: []cellwall.Refusal{{Call: "bpf", Count: 1}}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Enter(t.Context(), cellwall.Request{Identity: who}); cellwall.CodeOf(err) != cellwall.CodeForbidden {
		t.Errorf("three of three: %v", err)
	}
}

type discard struct{}

func (discard) Append(time.Time, any) error { return nil }

func TestM32_A_request_chooses_no_profile_below_its_tenants(t *testing.T) {
	for _, c := range []struct {
		floor, asked string
		operator     bool
		want         string
		code         cellwall.ErrorCode
	}{
		{want: "default"},
		{asked: "off", code: cellwall.CodeForbidden},
		{asked: "strict", want: "strict"},
		{floor: "default", asked: "off", code: cellwall.CodeForbidden},
		{floor: "strict", want: "strict"},
		{floor: "strict", asked: "default", code: cellwall.CodeForbidden},
		{floor: "strict", asked: "execute", want: "execute"},
		{floor: "off", asked: "off", want: "off"},
		{floor: "strict", asked: "none", code: cellwall.CodeBadRequest},
		{operator: true},
		{operator: true, asked: "off", want: "off"},
		{operator: true, floor: "strict", asked: "off", code: cellwall.CodeForbidden},
	} {
		req := cellwall.Request{Profile: c.asked}
		err := narrowProfile(cellwall.Tenant{Terms: cellwall.Terms{Profile: c.floor, Operator: c.operator}}, &req)
		switch {
		case c.code != "" && (err == nil || cellwall.CodeOf(err) != c.code), c.code == "" && (err != nil || req.Profile != c.want):
			t.Errorf("%+v: %q, %v", c, req.Profile, err)
		}
	}
}

// resized is what a sizer was told.
type resized struct {
	mu  sync.Mutex
	all []int
}

func (r *resized) Resize(target int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, target)
}

func TestM43_Pools_follow_the_rates_up_at_once_and_down_when_it_lasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		wanted := 0
		set := func(n int) { mu.Lock(); wanted = n; mu.Unlock() }
		var pools resized
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			keepSized(ctx, func() queue.Stats { mu.Lock(); defer mu.Unlock(); return queue.Stats{Servers: 2, Wanted: wanted} }, &pools, 3)
		}()
		for _, step := range []struct {
			wanted int
			lasts  time.Duration
			want   []int
		}{
			{0, time.Minute, nil},                           // never fewer than the settings say
			{5, 1500 * time.Millisecond, []int{5}},          // at once
			{2, 20 * time.Second, []int{5}},                 // a pause
			{5, 20 * time.Second, []int{5}},                 //
			{2, 20 * time.Second, []int{5}},                 // another one
			{2, 20 * time.Second, []int{5, 3}},              // that lasts
			{4096, 1500 * time.Millisecond, []int{5, 3, 8}}, // as many as can be of use
		} {
			set(step.wanted)
			time.Sleep(step.lasts)
			synctest.Wait()
			pools.mu.Lock()
			got := append([]int(nil), pools.all...)
			pools.mu.Unlock()
			if len(got) != len(step.want) || len(got) > 0 && got[len(got)-1] != step.want[len(step.want)-1] {
				t.Errorf("wanted %d for %v: %v, want %v", step.wanted, step.lasts, got, step.want)
			}
		}
		cancel()
		<-done
	})
}

// The real queue has the real pools keep as many ready as Erlang's model wants for
// the rates that it measured.
func TestM43_The_queue_sizes_the_pools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New(queue.Options{Servers: 4, Acceptable: 200 * time.Millisecond})
		pools := pool.NewSet(pool.SetOptions{Backend: idle{}, Pool: pool.Options{Target: 2}})
		spec := cellwall.Spec{Environment: cellwall.Environment{Name: "a"}, Limits: cellwall.DefaultLimits()}
		pools.Prepare(spec)
		ready := func() int {
			synctest.Wait()
			return pools.Stats()[pool.KindOf(spec, pool.Class(spec.Limits))].Ready
		}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { keepSized(ctx, q.Stats, pools, 2) })
		if n := ready(); n != 2 {
			t.Errorf("%d ready before anybody came, want 2", n)
		}
		for range 20 * 400 { // 400 a second of 20 ms each: 8 at work all the time
			all.Go(func() {
				if turn, err := q.Enter(t.Context(), "a", 0); err == nil {
					time.Sleep(20 * time.Millisecond)
					turn.Leave()
				}
			})
			time.Sleep(2500 * time.Microsecond)
		}
		if n, want := ready(), q.Stats().Wanted; n != want || want < 8 || want > 10 {
			t.Errorf("%d ready, %d wanted, for 8 at work", n, want)
		}
		time.Sleep(2 * time.Minute)
		if n := ready(); n != 2 {
			t.Errorf("%d ready when nobody came for long, want 2", n)
		}
		cancel()
		all.Wait()
		if err := pools.Close(); err != nil {
			t.Error(err)
		}
	})
}

// idle opens sandboxes that do nothing.
type idle struct{ cellwall.Sandbox }

func (idle) Open(context.Context, cellwall.Spec) (cellwall.Sandbox, error) { return idle{}, nil }
func (idle) Close() error                                                  { return nil }

// BenchmarkAdmission is what the desk, over a store on disk, and the queue cost a
// request.
func BenchmarkAdmission(b *testing.B) {
	a, who := openAdmission(b, queue.Options{Servers: 2}, cellwall.Terms{
		Rate: cellwall.Rate{PerSecond: 1e9}, Concurrency: 8, Budget: cellwall.Budget{Failures: 10}, Ceiling: cellwall.MaxLimits(),
	})
	key, _, err := a.desk.NewKey(context.Background(), who.Tenant, "", []string{"execute"}, time.Time{})
	if err != nil {
		b.Fatal(err)
	}
	ok := &cellwall.Result{OK: true, Status: cellwall.StatusOK}
	b.ReportAllocs()
	for b.Loop() {
		who, err := a.desk.Authenticate(context.Background(), key)
		if err != nil {
			b.Fatal(err)
		}
		req := cellwall.Request{Identity: who}
		if err := a.desk.Take(who); err != nil {
			b.Fatal(err)
		}
		if err := a.Narrow(&req); err != nil {
			b.Fatal(err)
		}
		turn, stop, err := a.Enter(context.Background(), req)
		if err != nil || stop != nil {
			b.Fatal(stop, err)
		}
		turn.Leave(ok)
	}
}

package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/cellwall/cellwall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// enter takes a turn that has to be free.
func enter(t *testing.T, q *Queue, tenant string) (leave func()) {
	t.Helper()
	before := q.Stats().Waiting
	turn, err := q.Enter(context.Background(), tenant, 0)
	if err != nil || q.Stats().Waiting != before {
		t.Fatalf("Enter(%s) = %v", tenant, err)
	}
	return turn.Leave
}

// learn lets the queue see one turn of this length.
func learn(t *testing.T, q *Queue, took time.Duration) {
	t.Helper()
	leave := enter(t, q, "a")
	time.Sleep(took)
	leave()
}

// waiting starts a request and returns when it waits.
func waiting(ctx context.Context, t *testing.T, q *Queue, tenant string) *request {
	t.Helper()
	r := &request{done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.turn, r.err = q.Enter(ctx, tenant, 0)
	}()
	synctest.Wait()
	select {
	case <-r.done:
		t.Fatalf("Enter(%s) does not wait: %v", tenant, r.err)
	default:
	}
	return r
}

type request struct {
	done chan struct{}
	turn *Turn
	err  error
}

func (r *request) over() bool {
	synctest.Wait()
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

func TestM43_Enter_gives_no_more_turns_than_servers_and_the_first_come_is_next(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 2})
		first, second := enter(t, q, "a"), enter(t, q, "a")
		third, fourth := waiting(t.Context(), t, q, "a"), waiting(t.Context(), t, q, "a")
		first()
		if !third.over() || fourth.over() {
			t.Error("the one who came first is not the one who is next")
		}
		first() // a second call is not a second turn
		if fourth.over() {
			t.Error("leave gave two turns")
		}
		second()
		if !fourth.over() {
			t.Error("a free turn was not given")
		}
		third.turn.Leave()
		fourth.turn.Leave()
		if s := q.Stats(); s.Running != 0 || s.Waiting != 0 || s.Admitted != 4 {
			t.Errorf("%+v", s)
		}
	})
}

func TestM43_Enter_lets_go_of_a_cancelled_request_at_once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 1})
		leave := enter(t, q, "a")
		ctx, cancel := context.WithCancel(t.Context())
		gone, next := waiting(ctx, t, q, "a"), waiting(t.Context(), t, q, "b")
		cancel()
		if !gone.over() || !errors.Is(gone.err, context.Canceled) || gone.turn != nil {
			t.Errorf("%v", gone.err)
		}
		if s := q.Stats(); s.Waiting != 1 || s.Left != 1 {
			t.Errorf("%+v", s)
		}
		leave()
		if !next.over() || next.err != nil {
			t.Errorf("the turn was lost: %v", next.err)
		}
		next.turn.Leave()
		if _, err := q.Enter(ctx, "a", 0); !errors.Is(err, context.Canceled) {
			t.Errorf("a request that is gone came in: %v", err)
		}
	})
}

// The turn and the end of the context arrive together: whichever wins, the turn
// is not lost.
func TestEnter_loses_no_turn_that_came_too_late(t *testing.T) {
	for range 2000 {
		q := New(Options{Servers: 1})
		turn, _ := q.Enter(context.Background(), "a", 0)
		ctx, cancel := context.WithCancel(context.Background())
		var all sync.WaitGroup
		all.Go(func() {
			if turn, err := q.Enter(ctx, "a", 0); err == nil {
				turn.Leave()
			}
		})
		all.Go(cancel)
		all.Go(turn.Leave)
		all.Wait()
		if s := q.Stats(); s.Running != 0 || s.Waiting != 0 {
			t.Fatalf("%+v", s)
		}
	}
}

func TestM43_Enter_says_when_to_come_again(t *testing.T) {
	for _, c := range []struct {
		name    string
		opts    Options
		turn    time.Duration // as learned
		waiting []string      // who waits already
		tenant  string
		most    int
		timeout time.Duration
		code    cellwall.ErrorCode
		low     time.Duration // of RetryAfter
		high    time.Duration
	}{
		{"the service's bound of a line", Options{Servers: 1, PerTenant: 2}, time.Second, []string{"a", "a"}, "a", 0, 0, cellwall.CodeRateLimited, 3 * time.Second, 4 * time.Second},
		{"the tenant's own", Options{Servers: 1}, time.Second, []string{"a"}, "a", 1, 0, cellwall.CodeRateLimited, 2 * time.Second, 3 * time.Second},
		{"all lines", Options{Servers: 1, Waiting: 3}, time.Second, []string{"a", "b", "b"}, "c", 0, 0, cellwall.CodeBusy, 3 * time.Second, 4 * time.Second},
		{"too long", Options{Servers: 1, Acceptable: 2 * time.Second}, time.Second, []string{"a", "a"}, "a", 0, 0, cellwall.CodeBusy, 3 * time.Second, 4 * time.Second},
		{"after the deadline", Options{Servers: 1}, time.Second, []string{"a"}, "a", 0, 1900 * time.Millisecond, cellwall.CodeBusy, 2 * time.Second, 3 * time.Second},
		{"never sooner than a second", Options{Servers: 1, PerTenant: 1}, time.Millisecond, []string{"a"}, "a", 0, 0, cellwall.CodeRateLimited, time.Second, time.Second},
		{"never later than a minute", Options{Servers: 1, Acceptable: time.Hour, PerTenant: 1}, time.Hour / 2, []string{"a"}, "a", 0, 0, cellwall.CodeRateLimited, time.Minute, time.Minute},
		{"not for another's line", Options{Servers: 1, PerTenant: 2}, time.Second, []string{"a", "a"}, "b", 0, 0, "", 0, 0},
		{"not for another's wait", Options{Servers: 1, Acceptable: 3 * time.Second}, time.Second, []string{"a", "a"}, "b", 0, 0, "", 0, 0},
		{"not before the deadline", Options{Servers: 1}, time.Second, []string{"a"}, "a", 0, 2100 * time.Millisecond, "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := New(c.opts)
				learn(t, q, c.turn)
				leave := enter(t, q, "a")
				var all []*request
				for _, who := range c.waiting {
					all = append(all, waiting(t.Context(), t, q, who))
				}
				ctx := t.Context()
				if c.timeout > 0 {
					var cancel func()
					ctx, cancel = context.WithTimeout(ctx, c.timeout)
					defer cancel()
				}
				done := make(chan error)
				go func() {
					turn, err := q.Enter(ctx, c.tenant, c.most)
					if err == nil {
						turn.Leave()
					}
					done <- err
				}()
				synctest.Wait()
				leave()
				var others sync.WaitGroup
				for _, r := range all {
					others.Go(func() { <-r.done; r.turn.Leave() })
				}
				err := <-done
				others.Wait()
				if c.code == "" {
					if err != nil {
						t.Errorf("refused: %v", err)
					}
					return
				}
				retry := cellwall.RetryAfterOf(err)
				if err == nil || cellwall.CodeOf(err) != c.code || retry < c.low || retry > c.high || cellwall.HintOf(err) == "" {
					t.Errorf("%v, %s, again in %v, want %s in %v to %v", err, cellwall.CodeOf(err), retry, c.code, c.low, c.high)
				}
			})
		})
	}
}

// Before a turn has ended its length is not known, but the age of those that run
// is.
func TestEnter_learns_from_turns_that_do_not_end(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 2, Acceptable: time.Second})
		learn(t, q, time.Millisecond)
		one, two := enter(t, q, "a"), enter(t, q, "a")
		time.Sleep(time.Minute)
		if _, err := q.Enter(t.Context(), "a", 0); cellwall.CodeOf(err) != cellwall.CodeBusy || cellwall.RetryAfterOf(err) < 30*time.Second {
			t.Errorf("%v, again in %v", err, cellwall.RetryAfterOf(err))
		}
		one()
		two()
	})
}

func TestM43_Nobody_has_all_turns_while_others_are_here(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 3})
		var flood []func()
		for range 3 {
			flood = append(flood, enter(t, q, "flood")) // alone: all of them
		}
		quiet := waiting(t.Context(), t, q, "quiet")
		for _, leave := range flood {
			leave()
		}
		<-quiet.done
		quiet.turn.Leave()
		flood = []func(){enter(t, q, "flood"), enter(t, q, "flood")}
		third := waiting(t.Context(), t, q, "flood")
		enter(t, q, "quiet")() // one was left for it
		if third.over() {
			t.Error("a turn that was left for others went to the flood")
		}
		time.Sleep(Remembered + 2*time.Second) // the forgotten are swept away though nobody comes
		if !third.over() {
			t.Error("a turn stayed free for who is forgotten")
		}
		fourth := waitingOrIn(t, q, "flood")
		if !third.over() || fourth.over() {
			t.Error("nobody else is here: the flood may have the third turn, and no fourth")
		}
		flood[0]()
		<-fourth.done
		flood[1]()
		third.turn.Leave()
		fourth.turn.Leave()
		if s := q.Stats(); s.Running != 0 || s.Waiting != 0 || s.Tenants != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func waitingOrIn(t *testing.T, q *Queue, tenant string) *request {
	t.Helper()
	r := &request{done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.turn, r.err = q.Enter(context.Background(), tenant, 0)
	}()
	synctest.Wait()
	return r
}

// Turns are charged by the time that they take: who runs long ones does not get
// more of the time than who runs short ones.
func TestM43_Time_is_shared_between_tenants_and_not_turns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 1, Acceptable: time.Hour})
		used := map[string]time.Duration{}
		var mu sync.Mutex
		ctx, stop := context.WithTimeout(t.Context(), 100*time.Second)
		defer stop()
		var all sync.WaitGroup
		for tenant, took := range map[string]time.Duration{"long": time.Second, "short": 20 * time.Millisecond} {
			for range 8 {
				all.Go(func() {
					for ctx.Err() == nil {
						turn, err := q.Enter(ctx, tenant, 0)
						if err != nil {
							return
						}
						time.Sleep(took)
						turn.Leave()
						mu.Lock()
						used[tenant] += took
						mu.Unlock()
					}
				})
			}
		}
		all.Wait()
		if long, short := used["long"].Seconds(), used["short"].Seconds(); long > 1.1*short || short > 1.1*long {
			t.Errorf("in 100 s: long turns %.1f s, short ones %.1f s", long, short)
		}
	})
}

// Who was away for an hour has saved nothing up.
func TestM43_A_tenant_that_comes_back_begins_where_the_others_are(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 1, Acceptable: time.Hour})
		turns := map[string]int{}
		var mu sync.Mutex
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		work := func(tenant string) {
			for range 4 {
				all.Go(func() {
					for ctx.Err() == nil {
						turn, err := q.Enter(ctx, tenant, 0)
						if err != nil {
							return
						}
						time.Sleep(time.Second)
						turn.Leave()
						mu.Lock()
						turns[tenant]++
						mu.Unlock()
					}
				})
			}
		}
		enter(t, q, "back")()
		work("here")
		for range 400 { // never long enough to be forgotten
			time.Sleep(Remembered - time.Second)
			enterLater(t, q, "back")
		}
		mu.Lock()
		clear(turns)
		mu.Unlock()
		work("back")
		time.Sleep(100 * time.Second)
		stop()
		all.Wait()
		if turns["here"] < 45 || turns["back"] < 45 {
			t.Errorf("in 100 s: %v", turns)
		}
	})
}

// enterLater takes a turn when it comes and ends it at once.
func enterLater(t *testing.T, q *Queue, tenant string) {
	t.Helper()
	turn, err := q.Enter(t.Context(), tenant, 0)
	if err != nil {
		t.Fatal(err)
	}
	turn.Leave()
}

// A flood of one tenant, many times what fits and of long turns, beside one that
// asks 4 times a second for short ones.
func TestM43_A_flood_does_not_move_anothers_wait(t *testing.T) {
	const took = 100 * time.Millisecond
	worst := func(t *testing.T, flooders int) (worst time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			q := New(Options{Servers: 2})
			ctx, stop := context.WithTimeout(t.Context(), 60*time.Second)
			defer stop()
			var all sync.WaitGroup
			for range flooders {
				all.Go(func() {
					for ctx.Err() == nil {
						turn, err := q.Enter(ctx, "flood", 0)
						if err != nil {
							time.Sleep(10 * time.Millisecond) // it does not wait as long as it is told
							continue
						}
						time.Sleep(10 * took)
						turn.Leave()
					}
				})
			}
			time.Sleep(5 * time.Second)
			enterLater(t, q, "quiet") // from here on a turn is left for it
			for range 200 {
				asked := time.Now()
				turn, err := q.Enter(t.Context(), "quiet", 0)
				if err != nil {
					t.Fatalf("the quiet tenant was refused: %v", err)
				}
				time.Sleep(took)
				turn.Leave()
				worst = max(worst, time.Since(asked))
				time.Sleep(150 * time.Millisecond)
			}
			stop()
			all.Wait()
		})
		return worst
	}
	alone, beside := worst(t, 0), worst(t, 40)
	if alone != took || beside > 2*alone {
		t.Errorf("alone at most %v, beside a flood %v", alone, beside)
	}
}

// At twice what fits, all servers work all the time, and who is refused does not
// wait for it.
func TestM43_Shedding_keeps_the_goodput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 4, Acceptable: 200 * time.Millisecond})
		const took, every = 20 * time.Millisecond, 2500 * time.Microsecond // 400/s where 200/s fit
		var all sync.WaitGroup
		var mu sync.Mutex
		done, refused, slowest := 0, 0, time.Duration(0)
		for range 4000 {
			all.Go(func() {
				asked := time.Now()
				turn, err := q.Enter(t.Context(), "a", 0)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					refused++
					if time.Since(asked) > 0 {
						t.Errorf("refused after %v", time.Since(asked))
					}
					return
				}
				slowest = max(slowest, time.Since(asked))
				mu.Unlock()
				time.Sleep(took)
				turn.Leave()
				mu.Lock()
				done++
			})
			time.Sleep(every)
		}
		all.Wait()
		if done < 1900 || done+refused != 4000 {
			t.Errorf("in 10 s: %d done, %d refused, want 2000 done", done, refused)
		}
		if slowest > 250*time.Millisecond {
			t.Errorf("somebody waited %v where 200ms are acceptable", slowest)
		}
		s := q.Stats()
		if s.Shed != int64(refused) || s.Wanted < 8 || s.Wanted > 9 {
			t.Errorf("shed %d, wanted %d servers for 400/s at 50/s each", s.Shed, s.Wanted)
		}
		if s.Saturated || s.Admission > 210 || s.PredictedCorrected != s.Seen || s.Seen > 200*time.Millisecond {
			t.Errorf("%v a second are let in, saturated %v, a wait of %v is shown for %v", s.Admission, s.Saturated, s.PredictedCorrected, s.Seen)
		}
	})
}

func TestStats_of_nothing_is_no_prediction(t *testing.T) {
	s := New(Options{Servers: 3}).Stats()
	if s.Servers != 3 || s.Predicted != 0 || s.Seen != 0 || s.Service != 0 || s.Wanted != 0 || s.Saturated {
		t.Errorf("%+v", s)
	}
}

func BenchmarkEnter(b *testing.B) {
	for _, tenants := range []int{1, 1000} {
		b.Run(fmt.Sprint(tenants, " tenants"), func(b *testing.B) {
			q := New(Options{Servers: 2})
			names := make([]string, tenants)
			for i := range names {
				names[i] = fmt.Sprint("tenant", i)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				turn, err := q.Enter(context.Background(), names[i%tenants], 0)
				if err != nil {
					b.Fatal(err)
				}
				turn.Leave()
			}
		})
	}
}

func BenchmarkRefuse(b *testing.B) {
	q := New(Options{Servers: 1, PerTenant: 1})
	turn, _ := q.Enter(context.Background(), "a", 0)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _, _ = q.Enter(ctx, "a", 0) }()
	for q.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := q.Enter(context.Background(), "a", 0); err == nil {
			b.Fatal("it came in")
		}
	}
	cancel()
	<-done
	turn.Leave()
}

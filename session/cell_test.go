package session

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

func TestM40_CellsRunOneAfterTheOtherAndAreNumbered(t *testing.T) {
	k := newKernel()
	s := create(t, k, Options{})
	var heard []string
	sink := func(_ context.Context, e cellwall.Event) error { heard = append(heard, string(e.Data)); return nil }
	for _, code := range []string{"x=41", "refused", "unsent", "die", "x+1"} {
		if _, err := s.Cell(t.Context(), Cell{Code: code}, sink); err != nil {
			t.Fatal(err)
		}
	}
	// What did not run took no number: the next cell has the one it was offered.
	if want := []int{1, 2, 2, 2, 3}; !slices.Equal(k.numbers, want) {
		t.Errorf("numbers %v, want %v", k.numbers, want)
	}
	if want := []string{"x=41", "x+1"}; !slices.Equal(k.state, want) {
		t.Errorf("state %v, want %v", k.state, want)
	}
	if want := []string{"x=41", "x+1"}; !slices.Equal(lives(s), want) || len(s.History()) != 3 {
		t.Errorf("history %+v", s.History())
	}
	if want := []string{"x=41", "refused", "unsent", "die", "x+1"}; !slices.Equal(heard, want) {
		t.Errorf("sink heard %v", heard)
	}
}

func TestM40_CallersWaitInTheOrderInWhichTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel()
		s := create(t, k, Options{Queue: 3})
		done := make(chan error, 8)
		send := func(ctx context.Context, code string) {
			go func() { _, err := s.Cell(ctx, Cell{Code: code}, nil); done <- err }()
			synctest.Wait()
		}
		send(t.Context(), "wait")
		gone, leave := context.WithCancel(t.Context())
		send(t.Context(), "1")
		send(gone, "never")
		send(t.Context(), "2")
		if _, err := s.Cell(t.Context(), Cell{Code: "beyond"}, nil); cellwall.CodeOf(err) != cellwall.CodeBusy || cellwall.HintOf(err) == "" {
			t.Errorf("beyond the queue: %v", err)
		}
		if i := s.Info(); i.State != Running || i.Waiting != 3 {
			t.Errorf("state %s, %d wait", i.State, i.Waiting)
		}
		leave()
		if err := <-done; cellwall.CodeOf(err) != cellwall.CodeBusy || !errors.Is(err, context.Canceled) {
			t.Errorf("who left the queue: %v", err)
		}
		send(t.Context(), "3")
		if err := s.Interrupt(); err != nil {
			t.Error(err)
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if want := []string{"wait", "1", "2", "3"}; !slices.Equal(k.state, want) {
			t.Errorf("order %v, want %v", k.state, want)
		}
	})
}

func TestM40_WhoeverGoesAwayCancelsTheOwnCellOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel()
		s := create(t, k, Options{})
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		r, err := s.Cell(ctx, Cell{Code: "wait"}, nil)
		if err != nil || r.Status != cellwall.StatusCancelled {
			t.Errorf("%+v, %v", r, err)
		}
		if r := run(t, s, "next"); !r.OK {
			t.Errorf("next cell: %+v", r)
		}
	})
}

func TestM40_InterruptWithoutACellDoesNothing(t *testing.T) {
	k := newKernel()
	s := create(t, k, Options{})
	if err := s.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if len(k.stop) != 0 {
		t.Error("the interpreter was interrupted")
	}
}

// A session says that it runs as soon as a cell is there: who interrupts it then
// means that cell, also while somebody who only looks is inside.
func TestM40_ACellIsInterruptedBeforeItsTurnHasCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel()
		s := create(t, k, Options{})
		leave, err := s.enter(t.Context(), call{op: "look"})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan *cellwall.Result, 1)
		go func() { r, _ := s.Cell(t.Context(), Cell{ID: "exec_a", Code: "wait"}, nil); done <- r }()
		synctest.Wait()
		if i := s.Info(); i.State != Running {
			t.Errorf("it is %s", i.State)
		}
		if err := s.Interrupt(); err != nil {
			t.Error(err)
		}
		leave()
		if r := <-done; r == nil || r.Error == nil || r.Error.Type != "KeyboardInterrupt" || !slices.Equal(k.hit, []string{"exec_a"}) {
			t.Errorf("%+v, interrupted were %q", r, k.hit)
		}
	})
}

// Bad input: an error that names what is allowed, and a state that nobody touched.
func TestM40_BadCellsAreNamedAndTouchNothing(t *testing.T) {
	for _, test := range []struct {
		name string
		cell Cell
		want []string
	}{
		{"longer than the session's time", Cell{Code: "x", Timeout: time.Minute}, []string{"timeout", "1m0s", "100ms to 8s"}},
		{"a time below nothing", Cell{Code: "x", Timeout: -1}, []string{"timeout", "100ms to 8s"}},
		{"a cost below nothing", Cell{Code: "x", TokenCost: -1}, []string{"token cost", "-1"}},
		{"a cost that is no number", Cell{Code: "x", TokenCost: math.NaN()}, []string{"token cost", "NaN"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := newKernel()
			s := create(t, k, Options{})
			_, err := s.Cell(t.Context(), test.cell, nil)
			if cellwall.CodeOf(err) != cellwall.CodeBadRequest {
				t.Fatalf("error %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if len(k.state) != 0 || s.Info().Cells != 0 {
				t.Errorf("state %v, %d cells", k.state, s.Info().Cells)
			}
		})
	}
}

func TestM40_ACellSaysOnlyWhatACallerMaySay(t *testing.T) {
	k := newKernel()
	all := open(t, k, Options{})
	var got cellwall.Request
	seen := &spy{kernel: k, seen: &got}
	all.opts.Open = func(context.Context, cellwall.Request, string, cellwall.Sink) (Live, *cellwall.Result, error) {
		return seen, nil, nil
	}
	s, _, err := all.Create(t.Context(), cellwall.Request{
		Identity: cellwall.Identity{Tenant: "a", Subject: "b"}, Environment: "basic", Language: "zh", Code: "old",
		Datasets: []cellwall.Input{{Name: "a.csv", FD: 7}}, Limits: cellwall.Limits{Timeout: 20 * time.Second},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Cell(t.Context(), Cell{Code: "new", Timeout: time.Second, KeepFiles: true, Purpose: "why"}, nil); err != nil {
		t.Fatal(err)
	}
	if got.Code != "new" || got.Identity.Subject != "b" || got.Environment != "basic" || got.Language != "zh" || got.Limits.Timeout != time.Second ||
		!got.KeepFiles || got.Purpose != "why" || got.Datasets != nil {
		t.Errorf("request %+v", got)
	}
}

// spy sees the request of a cell.
type spy struct {
	*kernel
	seen *cellwall.Request
}

func (s *spy) Cell(ctx context.Context, req cellwall.Request, count int, sink cellwall.Sink) (*cellwall.Result, error) {
	*s.seen = req
	return s.kernel.Cell(ctx, req, count, sink)
}

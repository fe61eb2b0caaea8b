package cleanup_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/cellwall/cellwall/internal/cleanup"
)

func TestRun_undoes_the_last_step_first_and_goes_on_after_errors(t *testing.T) {
	var order []int
	boom := errors.New("boom")
	var s cleanup.Stack
	for i := range 3 {
		s.Add(func() error {
			order = append(order, i)
			if i == 1 {
				return boom
			}
			return nil
		})
	}
	if err := s.Run(); !errors.Is(err, boom) {
		t.Errorf("Run() = %v, want the step's error", err)
	}
	if want := []int{2, 1, 0}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if err := s.Run(); err != nil || len(order) != 3 {
		t.Errorf("second Run() = %v after %d steps, want nothing", err, len(order))
	}
}

func TestRelease_moves_the_steps_away(t *testing.T) {
	ran := 0
	var s cleanup.Stack
	s.Add(func() error { ran++; return nil })
	moved := s.Release()
	if err := s.Run(); err != nil || ran != 0 {
		t.Fatalf("Run() after Release ran %d steps, err %v", ran, err)
	}
	if err := moved.Run(); err != nil || ran != 1 {
		t.Errorf("moved.Run() ran %d steps, err %v; want 1", ran, err)
	}
}

package native

import (
	"context"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
)

// Who tells that a run has started races with those who read what it writes.
func TestRun_StartedIsTheFirstEventWhoeverComesFirst(t *testing.T) {
	output := func(r *run) { r.output(cellwall.EventStdout, []byte("x")) }
	for name, steps := range map[string][]func(*run){
		"begin first":  {(*run).begin, output},
		"output first": {output, (*run).begin},
	} {
		var heard []cellwall.EventKind
		var numbers []uint64
		r := newRun(t.Context(), &sandbox{limits: cellwall.DefaultLimits()}, cellwall.Code{Execution: "exec"}, func(_ context.Context, e cellwall.Event) error {
			heard, numbers = append(heard, e.Kind), append(numbers, e.Seq)
			return nil
		})
		for _, step := range steps {
			step(r)
		}
		if want := []cellwall.EventKind{cellwall.EventStarted, cellwall.EventStdout}; !slices.Equal(heard, want) {
			t.Errorf("%s: heard %v, want %v", name, heard, want)
		}
		if !slices.Equal(numbers, []uint64{1, 2}) {
			t.Errorf("%s: numbers %v", name, numbers)
		}
	}
}

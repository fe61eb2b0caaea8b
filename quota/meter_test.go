package quota

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// Ways in which an execution ends.
var (
	good      = cellwall.Result{OK: true, Status: cellwall.StatusOK, Usage: cellwall.Usage{WallMS: 10}}
	key       = cellwall.Result{Status: cellwall.StatusError, Observation: cellwall.Observation{ErrorType: "KeyError"}, Usage: cellwall.Usage{WallMS: 5}}
	value     = cellwall.Result{Status: cellwall.StatusError, Error: &cellwall.ExecutionError{Type: "ValueError"}}
	slow      = cellwall.Result{Status: cellwall.StatusTimeout, Usage: cellwall.Usage{WallMS: 8000}}
	refused   = cellwall.Result{Status: cellwall.StatusRefused, Findings: []cellwall.Finding{{Rule: "nul_byte"}}, Usage: cellwall.Usage{WallMS: 99}}
	cancelled = cellwall.Result{Status: cellwall.StatusCancelled, Usage: cellwall.Usage{WallMS: 7}}
	ours      = cellwall.Result{Status: cellwall.StatusInternalError}
)

func TestM3_ABudgetThatIsReachedStops(t *testing.T) {
	type ends = []cellwall.Result
	for _, test := range []struct {
		name  string
		limit cellwall.Budget
		ran   ends // all of them are admitted
		want  *cellwall.Stop
	}{
		{"no bounds", cellwall.Budget{}, ends{key, key, key, key, slow, slow, slow}, nil},
		{"executions left", cellwall.Budget{Executions: 3}, ends{good, key}, nil},
		{"executions", cellwall.Budget{Executions: 3}, ends{good, key, cancelled}, &cellwall.Stop{Reason: cellwall.StopExecutions, Limit: 3, Used: 3}},
		{"what did not run is no execution", cellwall.Budget{Executions: 2}, ends{refused, refused, good}, nil},
		{"failures in a row", cellwall.Budget{Failures: 3}, ends{key, slow, refused}, &cellwall.Stop{Reason: cellwall.StopFailures, Limit: 3, Used: 3}},
		{"a good one between", cellwall.Budget{Failures: 3}, ends{key, slow, good, key, value}, nil},
		{"neither the caller's nor our doing", cellwall.Budget{Failures: 3, SameError: 3}, ends{key, cancelled, key, ours}, nil},
		{"and the row goes on behind it", cellwall.Budget{Failures: 3}, ends{key, cancelled, key, ours, value}, &cellwall.Stop{Reason: cellwall.StopFailures, Limit: 3, Used: 3}},
		{"time left", cellwall.Budget{Time: 8 * time.Second}, ends{key, good, cancelled, refused}, nil},
		{"time", cellwall.Budget{Time: 8 * time.Second}, ends{good, slow}, &cellwall.Stop{Reason: cellwall.StopTime, Limit: 8000, Used: 8010}},
		{"the same error", cellwall.Budget{SameError: 2}, ends{value, key, key}, &cellwall.Stop{Reason: cellwall.StopSameError, Limit: 2, Used: 2}},
		{"another error between", cellwall.Budget{SameError: 2}, ends{key, value, key, slow, refused}, nil},
		{"a good one between the same", cellwall.Budget{SameError: 2}, ends{key, good, key}, nil},
		{"the same end without exception", cellwall.Budget{SameError: 2}, ends{slow, slow}, &cellwall.Stop{Reason: cellwall.StopSameError, Limit: 2, Used: 2}},
		{"the same finding", cellwall.Budget{SameError: 2}, ends{refused, refused}, &cellwall.Stop{Reason: cellwall.StopSameError, Limit: 2, Used: 2}},
		{"the first in their order", cellwall.Budget{SameError: 2, Failures: 2, Executions: 2}, ends{key, key}, &cellwall.Stop{Reason: cellwall.StopExecutions, Limit: 2, Used: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := NewMeter(test.limit)
			for i, r := range test.ran {
				if stop := m.Admit(); stop != nil {
					t.Fatalf("execution %d was stopped: %+v", i+1, *stop)
				}
				m.Note(&r, 0)
			}
			for range 2 { // it stays reached
				switch got := m.Admit(); {
				case (got == nil) != (test.want == nil):
					t.Errorf("stop %+v, want %+v", got, test.want)
				case got != nil && *got != *test.want:
					t.Errorf("stop %+v, want %+v", *got, *test.want)
				}
			}
			if m.Limit() != test.limit {
				t.Errorf("limit %+v", m.Limit())
			}
		})
	}
}

func TestM3_TheCostOfTokensIsTheCallersWord(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit float64
		costs []float64
		stops bool
		used  float64
	}{
		{"below", 1, []float64{0.25, 0.5}, false, 0.75},
		{"reached", 1, []float64{0.5, 0.5}, true, 1},
		{"nobody earns a budget back", 1, []float64{0.5, -3, 0.25, 0.25}, true, 1},
		{"no bound", 0, []float64{1e9}, false, 1e9},
		{"a bound that is no number", math.NaN(), []float64{1e9}, false, 1e9},
		{"without end", 1, []float64{math.Inf(1)}, true, math.Inf(1)},
	} {
		m := NewMeter(cellwall.Budget{TokenCost: test.limit})
		for _, cost := range test.costs {
			m.Note(&good, cost)
		}
		stop := m.Admit()
		if (stop != nil) != test.stops || stop != nil && stop.Reason != cellwall.StopTokenCost || m.Used().TokenCost != test.used {
			t.Errorf("%s: stop %+v, used %v", test.name, stop, m.Used().TokenCost)
		}
	}
}

func TestM3_AMeterCountsForManyAtOnce(t *testing.T) {
	m := NewMeter(cellwall.Budget{Executions: 400})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				_ = m.Admit()
				m.Note(&good, 1)
			}
		})
	}
	all.Wait()
	if u := m.Used(); u.Executions != 400 || u.TokenCost != 400 || u.Time != 4*time.Second || m.Admit() == nil {
		t.Errorf("used %+v", u)
	}
}

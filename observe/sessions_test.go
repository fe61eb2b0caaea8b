package observe

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM3_AStopSaysWhichBudgetAndWhatWouldHelp(t *testing.T) {
	for _, test := range []struct {
		reason      cellwall.StopReason
		limit, used float64
		en, zh      string
	}{
		{cellwall.StopExecutions, 20, 20, "All 20 executions are used up", "20 次执行已全部用完"},
		{cellwall.StopFailures, 3, 3, "3 attempts in a row have failed", "已连续失败 3 次"},
		{cellwall.StopTime, 60000, 61250, "61250 ms of 60000 ms", "61250 毫秒，上限为 60000 毫秒"},
		{cellwall.StopTokenCost, 1.5, 1.75, "cost 1.75 of 1.5", "1.75，上限为 1.5"},
		{cellwall.StopSameError, 2, 2, "came back 2 times in a row", "已连续出现 2 次"},
	} {
		in := Input{
			Result: &cellwall.Result{Status: cellwall.StatusRefused, Cause: cellwall.CausePolicy},
			Stop:   &cellwall.Stop{Reason: test.reason, Limit: test.limit, Used: test.used},
		}
		o := Observe(in)
		if o.OK || o.Status != cellwall.StatusStopped || o.Reason != test.reason || o.Limit != test.limit || o.Used != test.used ||
			!strings.Contains(o.Suggestion, test.en) {
			t.Errorf("%s: %+v %+v", test.reason, o, o.Stop)
		}
		raw, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(raw, &fields); err != nil {
			t.Fatal(err)
		}
		if len(fields) != 6 { // ok, status, reason, limit, used, suggestion
			t.Errorf("%s: %s", test.reason, raw)
		}
		in.Language = "zh"
		if o := Observe(in); !strings.Contains(o.Suggestion, test.zh) {
			t.Errorf("%s: %q", test.reason, o.Suggestion)
		}
		if in.Stop.Suggestion != "" {
			t.Error("the evidence was changed")
		}
	}
}

func TestM40_AKilledCellIsToldWhatItsSessionWentBackTo(t *testing.T) {
	lost := []cellwall.Notice{
		{Code: cellwall.LostThreads, Args: map[string]string{"count": "2", "names": "feed, Thread-7"}},
		{Code: cellwall.LostFiles, Args: map[string]string{"count": "1"}},
		{Code: "forged", Args: map[string]string{"count": "1", "names": "x"}},
	}
	for _, test := range []struct {
		name      string
		restored  *cellwall.Restored
		want, not []string
	}{
		{"alive", nil, nil, []string{"session"}},
		{"one cell", &cellwall.Restored{Checkpoint: "cp_a", Cells: 1, Files: true}, []string{"state from before it"}, []string{"Run them again", "did not go back with it"}},
		{"several", &cellwall.Restored{Checkpoint: "cp_a", Cells: 4, Files: true}, []string{"the last 3 cells before it", "Run them again"}, []string{"state from before it"}},
		{"files stay", &cellwall.Restored{Checkpoint: "cp_a", Cells: 1}, []string{"did not go back with it"}, nil},
		{"over", &cellwall.Restored{Cells: 3}, []string{"session is over"}, []string{"killed"}},
		{"losses", &cellwall.Restored{Checkpoint: "cp_a", Cells: 1, Files: true, Lost: lost}, []string{
			"threads of earlier cells are gone (2)", `They are: "feed, Thread-7".`, "could not be put back (1)",
		}, []string{"{", "?", "They are: x"}},
	} {
		in := Input{Result: &cellwall.Result{Status: cellwall.StatusMemoryLimit, Cause: cellwall.CauseOOM, Restored: test.restored}}
		o, said := Observe(in), strings.Join(Warnings(in), "\n")
		if !slices.Equal(o.Warnings, Warnings(in)) {
			t.Errorf("%s: the model is told otherwise: %v", test.name, o.Warnings)
		}
		for _, want := range test.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: no %q in %q", test.name, want, said)
			}
		}
		for _, not := range test.not {
			if strings.Contains(said, not) {
				t.Errorf("%s: %q in %q", test.name, not, said)
			}
		}
		if test.restored != nil && !strings.Contains(o.RetryHint, "512 MiB") {
			t.Errorf("%s: the hint of the limit is gone: %q", test.name, o.RetryHint)
		}
	}
}

// What helps in a run that keeps nothing would mislead in a session.
func TestM40_HintsInASessionKnowThatItsStateLivesOn(t *testing.T) {
	session := "sess_a"
	for kind, want := range map[string][2]string{
		"NameError":         {"nothing is left from an earlier run", "earlier cells of this session"},
		"KeyboardInterrupt": {"could not start its threads", "is kept"},
	} {
		in := failed(cellwall.ExecutionError{Type: kind, Message: "name 'x' is not defined", Name: "x", Line: 1})
		if got := Observe(in).RetryHint; !strings.Contains(got, want[0]) || strings.Contains(got, want[1]) {
			t.Errorf("%s alone: %q", kind, got)
		}
		in.Result.SessionID = &session
		if got := Observe(in).RetryHint; !strings.Contains(got, want[1]) || strings.Contains(got, want[0]) {
			t.Errorf("%s in a session: %q", kind, got)
		}
	}
}

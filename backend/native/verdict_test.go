package native

import (
	"errors"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
	"github.com/cellwall/cellwall/linux/cgroup"
)

func TestM10_OneCauseByPrecedence(t *testing.T) {
	ok, failed := &guest.Done{OK: true}, &guest.Done{}
	oom := cgroup.Events{OOMKills: 3}
	everything := evidence{
		cancelled: true, deadline: true, events: cgroup.Events{OOMKills: 1, PIDsMax: 1},
		output: true, full: true, exit: exitEvent{Signal: 9}, protocol: errors.New("x"),
	}
	without := func(change func(*evidence)) evidence {
		e := everything
		change(&e)
		return e
	}
	if got, want := reached(everything), []cellwall.Cause{cellwall.CauseOOM, cellwall.CauseProcesses, cellwall.CauseDisk}; !slices.Equal(got, want) {
		t.Errorf("limits met are %v, want %v", got, want)
	}
	for _, test := range []struct {
		name   string
		e      evidence
		status cellwall.Status
		cause  cellwall.Cause
	}{
		{"ok", evidence{done: ok}, cellwall.StatusOK, cellwall.CauseNone},
		{"exception", evidence{done: failed}, cellwall.StatusError, cellwall.CauseException},
		{"cancelled outranks all", everything, cellwall.StatusCancelled, cellwall.CauseCancelled},
		{"then the deadline", without(func(e *evidence) { e.cancelled = false }), cellwall.StatusTimeout, cellwall.CauseDeadline},
		{
			"then memory", without(func(e *evidence) { e.cancelled, e.deadline = false, false }),
			cellwall.StatusMemoryLimit, cellwall.CauseOOM,
		},
		{
			"then output", without(func(e *evidence) {
				e.cancelled, e.deadline, e.events.OOMKills = false, false, 0
			}), cellwall.StatusOutputLimit, cellwall.CauseOutput,
		},
		{
			"then processes", without(func(e *evidence) {
				e.cancelled, e.deadline, e.output, e.events.OOMKills = false, false, false, 0
			}), cellwall.StatusProcessLimit, cellwall.CauseProcesses,
		},
		{"then disk", evidence{full: true, done: failed}, cellwall.StatusDiskLimit, cellwall.CauseDisk},
		{"then the protocol", evidence{protocol: errors.New("x"), exit: exitEvent{Signal: 11}}, cellwall.StatusCrashed, cellwall.CauseProtocol},
		{"a signal is named", evidence{exit: exitEvent{Signal: 11}}, cellwall.StatusCrashed, "signal:SIGSEGV"},
		{"SIGKILL is no memory limit", evidence{exit: exitEvent{Signal: 9}}, cellwall.StatusCrashed, "signal:SIGKILL"},
		{"leaving without a word is no success", evidence{exit: exitEvent{Code: 0}}, cellwall.StatusCrashed, "exit:0"},
		{"an exit code that looks like a kill", evidence{exit: exitEvent{Code: 137}}, cellwall.StatusCrashed, "exit:137"},
		{"a limit met by code that ended ok is told", evidence{done: ok, full: true}, cellwall.StatusOK, cellwall.CauseDisk},
		{"nobody makes good what was killed for memory", evidence{done: ok, events: oom}, cellwall.StatusMemoryLimit, cellwall.CauseOOM},
		{"output ends even what says ok", evidence{done: ok, output: true}, cellwall.StatusOutputLimit, cellwall.CauseOutput},
		{"memory outranks output", evidence{done: ok, output: true, events: oom}, cellwall.StatusMemoryLimit, cellwall.CauseOOM},
	} {
		t.Run(test.name, func(t *testing.T) {
			if status, cause := verdict(test.e); status != test.status || cause != test.cause {
				t.Errorf("verdict = %s, %q; want %s, %q", status, cause, test.status, test.cause)
			}
		})
	}
}

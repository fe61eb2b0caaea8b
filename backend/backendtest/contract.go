package backendtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
)

// row is one ordinary program and what it must come to.
type row struct {
	name   string
	code   string
	inputs []abuse.File
	limits cellwall.Limits
	status cellwall.Status // "" = ok
	cause  cellwall.Cause
	stdout string // exact; "" = not looked at
	needs  string // protection without which the row says nothing
	look   func(t *testing.T, r *cellwall.Result)
}

// runContract runs ordinary programs.
func runContract(t *testing.T, s Setup) {
	reference(t, s) // so that pools exist before the first look
	before := s.target().AtRest(t.Context())
	for _, rows := range [][]row{ends(), surroundings(), measured()} {
		for _, r := range rows {
			t.Run(r.name, func(t *testing.T) { r.run(t, s) })
		}
	}
	t.Run("CancelledWhenTheCallerGoesAway", func(t *testing.T) { cancelled(t, s) })
	t.Run("ManyAtOnceKeepApart", func(t *testing.T) { keepApart(t, s) })
	for _, left := range s.target().Settle(t.Context(), before, false) {
		t.Errorf("left behind: %s", left)
	}
}

func (r row) run(t *testing.T, s Setup) {
	if r.needs != "" && slices.Contains(s.Missing, r.needs) {
		t.Skipf("not measured, proof: this run goes without %s", r.needs)
	}
	got := execute(t, s, cellwall.Request{Code: r.code, Limits: r.limits}, r.inputs)
	want := r.status
	if want == "" {
		want = cellwall.StatusOK
	}
	if got.Status != want || r.cause != "" && got.Cause != r.cause {
		t.Fatalf("ended as %s (%q), want %s (%q); stderr %q, error %+v", got.Status, got.Cause, want, r.cause, got.Stderr.Text, got.Error)
	}
	for _, p := range abuse.Judge(abuse.Program{Expect: abuse.Expect{Statuses: []cellwall.Status{want}}}, abuse.Outcome{Result: got}) {
		t.Error(p)
	}
	if r.stdout != "" && got.Stdout.Text != r.stdout {
		t.Errorf("printed %q, want %q", got.Stdout.Text, r.stdout)
	}
	if r.look != nil {
		r.look(t, got)
	}
}

// ends reach every status that a program can reach, and tell them apart.
func ends() []row {
	const mib = cellwall.MiB
	return []row{
		{name: "OK", code: "print('fine')", stdout: "fine\n"},
		{
			name: "ErrorOfTheProgram", code: "def f():\n    return 1 / 0\nf()", status: cellwall.StatusError, cause: cellwall.CauseException,
			look: func(t *testing.T, r *cellwall.Result) {
				if r.Error == nil || r.Error.Type != "ZeroDivisionError" || r.Error.Line != 2 {
					t.Errorf("error is %+v, want ZeroDivisionError in line 2", r.Error)
				}
			},
		},
		{
			name: "Timeout", code: "print('begun', flush=True)\nwhile True: pass", limits: cellwall.Limits{Timeout: time.Second},
			status: cellwall.StatusTimeout, cause: cellwall.CauseDeadline, stdout: "begun\n",
		},
		{
			name: "TimeoutAsleep", code: "import time; time.sleep(60)", limits: cellwall.Limits{Timeout: 500 * time.Millisecond},
			status: cellwall.StatusTimeout, cause: cellwall.CauseDeadline,
		},
		{
			name: "MemoryLimit", code: "x = b'x' * (400 << 20)\ny = bytearray(x)", limits: cellwall.Limits{MemoryBytes: 128 * mib},
			status: cellwall.StatusMemoryLimit, cause: cellwall.CauseOOM, needs: abuse.MemoryLimit,
		},
		{
			name: "MemoryLimitInAChild", limits: cellwall.Limits{MemoryBytes: 128 * mib}, needs: abuse.MemoryLimit,
			code:   "import os\nif os.fork() == 0:\n    x = bytearray(b'x' * (400 << 20))\nelse:\n    os.wait()\n    raise SystemExit('a child died')",
			status: cellwall.StatusMemoryLimit, cause: cellwall.CauseOOM,
		},
		{
			name: "ProcessLimit", limits: cellwall.Limits{Processes: 16}, needs: abuse.ProcessLimit,
			code:   "import os, time\nfor _ in range(64):\n    if os.fork() == 0:\n        time.sleep(20); os._exit(0)",
			status: cellwall.StatusProcessLimit, cause: cellwall.CauseProcesses,
		},
		{
			name: "ProcessLimitMetByCodeThatEndsWell", limits: cellwall.Limits{Processes: 16}, needs: abuse.ProcessLimit,
			code: "import threading\ntry:\n    for _ in range(64): threading.Thread(target=threading.Event().wait, daemon=True).start()\n" +
				"except RuntimeError: print('coped')",
			stdout: "coped\n",
		},
		{
			name: "DiskLimit", limits: cellwall.Limits{WorkspaceBytes: 8 * mib},
			code:   "with open('big', 'wb') as f:\n    f.write(b'x' * (16 << 20))",
			status: cellwall.StatusDiskLimit, cause: cellwall.CauseDisk,
		},
		{
			name: "OutputLimit", limits: cellwall.Limits{OutputBytes: mib}, code: "print('x' * (4 << 20))",
			status: cellwall.StatusOutputLimit, cause: cellwall.CauseOutput,
		},
		{name: "CrashedBySignal", code: "import ctypes; ctypes.string_at(0)", status: cellwall.StatusCrashed, cause: "signal:SIGSEGV"},
		{name: "CrashedByExit", code: "import os; os._exit(7)", status: cellwall.StatusCrashed, cause: "exit:7"},
		{
			name: "RefusedBeforeTheRun", code: "print('a\x00')", status: cellwall.StatusRefused, cause: cellwall.CausePolicy,
			look: func(t *testing.T, r *cellwall.Result) {
				if len(r.Findings) == 0 {
					t.Error("nothing was found")
				}
			},
		},
		{name: "SystemExitZeroIsOK", code: "import sys; print('done'); sys.exit(0)", stdout: "done\n"},
		{name: "SystemExitWithAMessage", code: "raise SystemExit('no rows')", status: cellwall.StatusError, cause: cellwall.CauseException},
	}
}

// cancelled demands that a caller who goes away ends the run.
func cancelled(t *testing.T, s Setup) {
	ctx, cancel := context.WithCancel(t.Context())
	timer := time.AfterFunc(300*time.Millisecond, cancel)
	defer timer.Stop()
	began := time.Now()
	r, err := tryExecute(ctx, s, cellwall.Request{Code: "while True: pass", Limits: cellwall.Limits{Timeout: 2 * time.Minute}}, nil)
	if took := time.Since(began); took > testkit.Scale(time.Minute) {
		t.Errorf("the run went on for %v", took)
	}
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		t.Errorf("error is %v, want a result or context.Canceled", err)
	case err == nil && (r.Status != cellwall.StatusCancelled || r.Cause != cellwall.CauseCancelled):
		t.Errorf("ended as %s (%s), want cancelled", r.Status, r.Cause)
	}
}

// keepApart demands that executions at the same time see only their own.
func keepApart(t *testing.T, s Setup) {
	const many = 8
	type answer struct {
		want string
		r    *cellwall.Result
		err  error
	}
	answers := make(chan answer)
	for i := range many {
		go func() {
			mark := strings.Repeat(string(rune('a'+i)), 8)
			code := "import os, time\nopen('" + mark + "', 'w').write('x')\nopen('/tmp/" + mark +
				"', 'w').close()\ntime.sleep(0.3)\nprint(sorted(os.listdir('.')), sorted(n for n in os.listdir('/tmp') if len(set(n)) == 1))"
			r, err := tryExecute(t.Context(), s, cellwall.Request{Code: code}, nil)
			answers <- answer{"['" + mark + "'] ['" + mark + "']\n", r, err}
		}()
	}
	for range many {
		a := <-answers
		switch {
		case a.err != nil:
			t.Error(a.err)
		case !a.r.OK || a.r.Stdout.Text != a.want:
			t.Errorf("ended as %s and printed %q, want %q", a.r.Status, a.r.Stdout.Text, a.want)
		}
	}
}

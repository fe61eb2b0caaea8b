package backendtest

import (
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// death is a way for a cell to end that may cost it itself, and nothing else.
type death struct {
	name   string
	code   string
	want   string // status and cause
	limits cellwall.Limits
	quick  bool // the deadline is what ends it
}

// runDeaths demands that the cell after a death finds everything from before it.
func runDeaths(t *testing.T, s Setup) {
	for _, rows := range [][]death{byItself(), byLimits(), bySabotage()} {
		for _, d := range rows {
			t.Run(d.name, func(t *testing.T) { d.run(t, s) })
		}
	}
	t.Run("InterruptedItKeepsItsState", func(t *testing.T) { interrupted(t, s) })
	t.Run("InterruptedBeforeItCameItEndsWhenItComes", func(t *testing.T) { interruptedEarly(t, s) })
	t.Run("DeafToInterruptsItIsKilled", func(t *testing.T) { deaf(t, s) })
	for _, a := range alive() {
		t.Run(a.name, func(t *testing.T) { a.run(t, s) })
	}
}

const before = "x = 41\nimport pandas as pd\nt = pd.DataFrame({'a': [1, 2, 3]})\ndef f(): return int(t['a'].sum())"

func (d death) run(t *testing.T, s Setup) {
	l := d.limits
	if l.MemoryBytes == 0 {
		l.MemoryBytes = 256 * cellwall.MiB
	}
	n := begin(t, s, l)
	n.says(before, "")
	c := n.code("x = 0\nt.loc[0, 'a'] = 100\n" + d.code)
	if d.quick {
		c.Timeout = testkit.Scale(300 * time.Millisecond)
	}
	n.died(n.run(c), d.want)
	n.says("print(x + 1, f())", "42 6")
	n.says("x += 1\nprint(x)", "42") // and goes on from there
	n.died(n.cell("x = 0\nimport os\nos._exit(1)"), "crashed exit:1")
	n.says("print(x, f())", "42 6")
}

// byItself: the cell's own doing.
func byItself() []death {
	return []death{
		{name: "Exit", code: "import os\nos._exit(7)", want: "crashed exit:7"},
		{name: "ExitWithSuccess", code: "import os\nos._exit(0)", want: "crashed exit:0"},
		{name: "SegmentationFault", code: "import ctypes\nctypes.string_at(0)", want: "crashed signal:SIGSEGV"},
		{name: "Abort", code: "import os\nos.abort()", want: "crashed signal:SIGABRT"},
		{name: "KillsItself", code: "import os\nos.kill(os.getpid(), 9)", want: "crashed signal:SIGKILL"},
		{name: "KillsItsGroupOfProcesses", code: "import os\nos.killpg(0, 9)", want: "crashed signal:SIGKILL"},
		{name: "KillsWhatItTakesForItsParent", code: "import os\nos.kill(os.getppid(), 9)", want: "crashed signal:SIGKILL"}, // 0: its own group
		{name: "BecomesAnotherProgram", code: "import os, sys\nos.execv(sys.executable, ['python', '-S', '-c', ''])", want: "crashed exit:0"},
		{name: "OverrunsItsStack", code: "import faulthandler\nfaulthandler._stack_overflow()", want: "crashed signal:SIGSEGV"},
		{name: "FreesTwice", code: "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.malloc.restype = ctypes.c_void_p\np = ctypes.c_void_p(libc.malloc(99))\nlibc.free(p)\nlibc.free(p)", want: "crashed signal:SIGABRT"},
	}
}

// byLimits: what the kernel or the controller ends.
func byLimits() []death {
	return []death{
		{name: "OutOfMemory", code: "blocks = [bytearray(b'x' * (1 << 20)) for _ in range(1000)]", want: "memory_limit oom_kill"},
		{name: "OutOfMemoryAtOnce", code: "import numpy as np\na = np.ones(1 << 27)", want: "memory_limit oom_kill"},
		{name: "OutOfMemoryInAFile", code: "import os\nf = os.memfd_create('f')\nwhile True: os.write(f, b'x' * (1 << 20))", want: "memory_limit oom_kill"},
		{name: "Deadline", code: "while True: pass", want: "timeout deadline", quick: true},
		{name: "DeadlineAsleep", code: "import time\ntime.sleep(99)", want: "timeout deadline", quick: true},
		{name: "DeadlineInForeignCode", code: "import ctypes\nctypes.PyDLL(None).sleep(99)", want: "timeout deadline", quick: true},
		{name: "DeadlineCatchingEverything", code: "while True:\n    try:\n        while True: pass\n    except BaseException: pass", want: "timeout deadline", quick: true},
		{name: "StopsItself", code: "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", want: "timeout deadline", quick: true},
		{name: "Output", code: "while True: print('x' * 65536)", want: "output_limit output", limits: cellwall.Limits{OutputBytes: cellwall.MiB}},
		{name: "ForkBomb", code: "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(99)", want: "process_limit pids_limit"},
		{name: "ForkBombThatGrows", code: "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", want: "timeout deadline", quick: true},
	}
}

// bySabotage: what aims at the driver, which shares the process.
func bySabotage() []death {
	return []death{
		{name: "ForgesItsOwnEnd", code: "import os, time\nos.write(3, b'\\0\\0\\0\\2Z{}')\ntime.sleep(99)", want: "crashed protocol"},
		{name: "ForgesGarbage", code: "import os, time\nos.write(3, b'\\xff' * 99)\ntime.sleep(99)", want: "crashed protocol"},
		{name: "ForgesASnapshotsWord", code: "import os, time, json\np = json.dumps({'checkpoint': 'cp_x', 'error': '', 'cannot': []}).encode()\nos.write(3, len(p).to_bytes(4) + b'S' + p)\ntime.sleep(99)", want: "crashed protocol"},
		{name: "ClosesTheChannel", code: "import os, time\nos.close(3)\ntime.sleep(99)", want: "", quick: true},
		{name: "EndsTheProcessWithAThread", code: "import os, threading, time\nthreading.Timer(0.05, os._exit, [5]).start()\ntime.sleep(99)", want: "crashed exit:5"},
	}
}

// survival is a disaster that is not even the cell's end, or an ordinary error.
type survival struct {
	name, code, want string
	after, says      string
	limits           cellwall.Limits
}

// alive are the ones that cost nothing but the cell's success: the state is that
// of the moment, not of a checkpoint.
func alive() []survival {
	return []survival{
		{name: "AnErrorKeepsWhatWasDone", code: "x = 1\n1 / 0\nx = 2", want: "error exception", after: "print(x)", says: "1"},
		{name: "SystemExitIsNoEnd", code: "x = 1\nimport sys\nsys.exit(3)", want: "error exception", after: "print(x)", says: "1"},
		{name: "ASyntaxErrorRunsNothing", code: "x = 1\nx = (", want: "error exception", after: "print(x)", says: "41"},
		{name: "DeepRecursionIsAnError", code: "x = 1\ndef r(): r()\nr()", want: "error exception", after: "print(x)", says: "1"},
		{
			name: "AFullDiskIsAnError", code: "x = 1\nwith open('big', 'wb') as f:\n    while True: f.write(b'x' * (1 << 20))",
			limits: cellwall.Limits{WorkspaceBytes: 16 * cellwall.MiB}, want: "disk_limit disk_full", after: "print(x)", says: "1",
		},
		{
			name: "MoreThanTheWorkspaceIsTold", code: "x = 1\nwith open('big', 'wb') as f: f.write(b'x' * (20 << 20))",
			limits: cellwall.Limits{WorkspaceBytes: 16 * cellwall.MiB}, want: "ok disk_full", after: "print(x)", says: "1",
		},
		{name: "KillingEverybodyIsRefused", code: "x = 1\nimport os\ntry: os.kill(-1, 9)\nexcept PermissionError: print('refused')", want: "ok ", after: "print(x)", says: "1"},
		{name: "KillingProcessOneReachesNobody", code: "x = 1\nimport os\ntry: os.kill(1, 9)\nexcept OSError: print('refused')", want: "ok ", after: "print(x)", says: "1"},
		{name: "RunningOutOfDescriptorsIsAnError", code: "x = 1\nkept = []\nwhile True: kept.append(open('/dev/null'))", want: "error exception", after: "kept.clear()\nprint(x)", says: "1"},
	}
}

func (a survival) run(t *testing.T, s Setup) {
	n := begin(t, s, a.limits)
	n.says("x = 41", "")
	got := n.cell(a.code)
	if end := string(got.Status) + " " + string(got.Cause); end != a.want || got.Restored != nil {
		t.Errorf("the cell ended %s, restored %+v, want %s and nothing undone; it said %q", end, got.Restored, a.want, got.err)
	}
	n.says(a.after, a.says)
}

// busy goes on until it is interrupted, and says so first.
const busy = "import time\nx = 2\nprint('on', flush=True)\nwhile True: time.sleep(0.005)"

func interrupted(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 1", "")
	got := n.whenOn(busy, func() error { return n.Interrupt("") })
	if got.Status != cellwall.StatusError || got.Restored != nil || !strings.Contains(got.raised, "KeyboardInterrupt") {
		t.Errorf("an interrupted cell ended %s %s with %s, restored %+v", got.Status, got.Cause, got.raised, got.Restored)
	}
	n.says("print(x)", "2")
}

// Who interrupts a cell by its execution hits it whenever it comes, and no other.
func interruptedEarly(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 1", "")
	c := n.code("import time\nwhile True: time.sleep(0.01)")
	if err := n.Interrupt(c.Execution); err != nil {
		t.Fatal(err)
	}
	got := n.run(c)
	if got.Status != cellwall.StatusError || got.Restored != nil || !strings.Contains(got.raised, "KeyboardInterrupt") {
		t.Errorf("it ended %s %s with %s, restored %+v", got.Status, got.Cause, got.raised, got.Restored)
	}
	for _, gone := range []string{c.Execution, "", cellwall.NewID(cellwall.PrefixExecution)} { // nothing of these is to come
		if err := n.Interrupt(gone); err != nil {
			t.Fatal(err)
		}
		n.says("import time; time.sleep(0.05); print(x)", "1")
	}
}

func deaf(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 1", "")
	got := n.whenOn("import signal\n_ = signal.signal(signal.SIGINT, signal.SIG_IGN)\n"+busy, func() error { return n.Interrupt("") })
	n.died(got, "cancelled cancelled")
	n.says("print(x)", "1")
}

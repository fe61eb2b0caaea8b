package backendtest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// kept is something that a cell leaves behind and a later one must find.
type kept struct {
	name  string
	set   string
	check string
	want  string // what check prints, in a plain interpreter too
	// gone names what a rollback cannot bring back (cellwall.LostThreads and so
	// on). It must be told; without it check must print the same after a rollback.
	gone string
	// anew: what is gone is made again by whoever needs it, and check must print the
	// same all the same.
	anew bool
}

// runStates demands that state lives on when all is well, and comes back when a
// cell dies.
func runStates(t *testing.T, s Setup) {
	for _, rows := range [][]kept{ofTheLanguage(), ofTheInterpreter(), ofTheLibraries(), ofTheSystem()} {
		for _, k := range rows {
			t.Run(k.name+"/LivesOn", func(t *testing.T) {
				n := begin(t, s, cellwall.Limits{})
				n.says(k.set, "")
				n.says("pass", "")
				n.says(k.check, k.want)
			})
			t.Run(k.name+"/ComesBack", func(t *testing.T) {
				n := begin(t, s, cellwall.Limits{})
				n.says(k.set, "")
				got := n.cell("import os\nos._exit(7)")
				n.died(got, "crashed exit:7")
				switch told := losses(got); {
				case k.gone == "" && told != "":
					t.Errorf("told as lost: %s", told)
				case !strings.Contains(told, k.gone):
					t.Errorf("told as lost: %q, want %s", told, k.gone)
				}
				if k.gone == "" || k.anew {
					n.says(k.check, k.want)
				}
				n.says("print('goes on')", "goes on")
			})
		}
	}
}

// losses are the codes of what a rollback could not bring back.
func losses(got said) string {
	var codes []string
	for _, l := range got.Restored.Lost {
		codes = append(codes, l.Code)
	}
	return strings.Join(codes, " ")
}

// noticeCode is the code of a notice event, and its reason if it has one.
func noticeCode(data []byte) string {
	var n cellwall.Notice
	if json.Unmarshal(data, &n) != nil {
		return ""
	}
	return strings.TrimSpace(n.Code + " " + n.Args["reason"])
}

// ofTheLanguage is what any notebook keeps.
func ofTheLanguage() []kept {
	return []kept{
		{name: "Names", set: "x, s = 41, 'é漢'", check: "print(x + 1, s)", want: "42 é漢"},
		{name: "Imports", set: "import json as j", check: "print(j.dumps([1]))", want: "[1]"},
		{name: "Functions", set: "def f(a, b=[]):\n    b.append(a)\n    return len(b)\nf(1)", check: "print(f(2))", want: "2"},
		{name: "Classes", set: "class C:\n    n = 1\nc = C()\nC.n = 5", check: "print(c.n, isinstance(c, C))", want: "5 True"},
		{name: "Closures", set: "def make():\n    n = 0\n    def up():\n        nonlocal n\n        n += 1\n        return n\n    return up\nup = make(); up()", check: "print(up())", want: "2"},
		{name: "Generators", set: "g = (i * i for i in range(9))\nnext(g); next(g)", check: "print(next(g), next(g))", want: "4 9"},
		{name: "Aliases", set: "a = []\nb = a", check: "b.append(1)\nprint(a)", want: "[1]"},
		{name: "WeakReferences", set: "import weakref\nclass W: pass\nw = W()\nr = weakref.ref(w)", check: "print(r() is w)", want: "True"},
		{name: "DeletedNames", set: "d = 1\ndel d", check: "print('d' in globals())", want: "False"},
		{name: "TheModuleIsMain", set: "class M: pass", check: "print(__name__, M.__module__)", want: "__main__ __main__"},
		{name: "PicklesOfItsClasses", set: "class P:\n    def __init__(s, v): s.v = v\nimport pickle\ntext = pickle.dumps(P(3))", check: "print(pickle.loads(text).v, type(pickle.loads(text)) is P)", want: "3 True"},
		{name: "SourceOfItsFunctions", set: "import inspect\ndef half(x):\n    return x / 2", check: "print(inspect.getsource(half).splitlines()[1].strip())", want: "return x / 2"},
		{
			name: "TracebacksWithTheRightLine", set: "def bad():\n    a = 1\n    return a / 0",
			check: "import traceback\ntry: bad()\nexcept ZeroDivisionError as e:\n    f = traceback.extract_tb(e.__traceback__)[-1]\n    print(f.lineno, f.line)",
			want:  "3 return a / 0",
		},
		{name: "ContextVariables", set: "import contextvars\nv = contextvars.ContextVar('v')\ncx = contextvars.copy_context()\ncx.run(v.set, 4)", check: "print(cx[v])", want: "4"},
	}
}

// ofTheInterpreter is what it knows beside the names.
func ofTheInterpreter() []kept {
	return []kept{
		{name: "LastValue", set: "6 * 7", check: "print(_)", want: "42"},
		{name: "NumberedValues", set: "6 * 7", check: "print(Out[1], 6 * 7 == Out[1], In[1])", want: "42 True 6 * 7"},
		{name: "SeededRandomNumbers", set: "import random\nrandom.seed(7)\nr = random.Random(7)\nrandom.random(); r.random()", check: "print([random.random() for _ in range(3)] == [r.random() for _ in range(3)])", want: "True"},
		{name: "WarningFilters", set: "import warnings\nwarnings.simplefilter('error', UserWarning)", check: "try:\n    warnings.warn('x')\nexcept UserWarning: print('raised')", want: "raised"},
		{name: "DecimalContext", set: "import decimal\ndecimal.getcontext().prec = 5", check: "print(decimal.Decimal(1) / 3)", want: "0.33333"},
		{name: "RecursionLimit", set: "import sys\nsys.setrecursionlimit(4321)", check: "print(sys.getrecursionlimit())", want: "4321"},
		{name: "ModulePath", set: "import sys\nsys.path.append('/workspace/mine')", check: "print(sys.path[-1])", want: "/workspace/mine"},
		{name: "PatchedModules", set: "import math\nmath.half = lambda x: x / 2", check: "print(math.half(3))", want: "1.5"},
		{name: "SignalHandlers", set: "import signal\ngot = []\n_ = signal.signal(signal.SIGUSR1, lambda *a: got.append(1))", check: "import os\nos.kill(os.getpid(), signal.SIGUSR1)\nprint(got)", want: "[1]"},
		{name: "Tasks", set: "import asyncio\nasync def later():\n    await asyncio.sleep(0.01)\n    return 5\nt = asyncio.ensure_future(later())\nawait asyncio.sleep(0)", check: "print(await t)", want: "5"},
		{name: "LocksThatAreHeld", set: "import threading\nlock = threading.Lock()\n_ = lock.acquire()", check: "print(lock.locked())\nlock.release()", want: "True"},
	}
}

// ofTheLibraries is what the data stack keeps.
func ofTheLibraries() []kept {
	return []kept{
		{
			name: "PoolsOfArrow", gone: cellwall.LostThreads, anew: true,
			set:   "import pandas as pd\ndf = pd.DataFrame({c: range(50000) for c in 'abcdefgh'})\ndf.to_parquet('/tmp/t')\ndf.equals(pd.read_parquet('/tmp/t'))",
			check: "print(pd.read_parquet('/tmp/t').equals(df))", want: "True",
		},
		{name: "Frames", set: "import pandas as pd\nt = pd.DataFrame({'a': range(1000)})", check: "print(int(t['a'].sum()))", want: "499500"},
		{name: "PandasOptions", set: "import pandas as pd\npd.set_option('display.max_rows', 7)", check: "print(pd.get_option('display.max_rows'))", want: "7"},
		{name: "ArraysAndTheirViews", set: "import numpy as np\na = np.arange(6).reshape(2, 3)\nv = a[1]", check: "v[0] = 9\nprint(a.tolist())", want: "[[0, 1, 2], [9, 4, 5]]"},
		{name: "NumpyRandomNumbers", set: "import numpy as np\nnp.random.seed(3)\nr = np.random.RandomState(3)\nnp.random.rand(); _ = r.rand()", check: "print(bool(np.random.rand() == r.rand()))", want: "True"},
		{name: "NumpyGenerators", set: "import numpy as np\ng, h = np.random.default_rng(5), np.random.default_rng(5)\n_ = g.random(), h.random()", check: "print(bool(g.random() == h.random()))", want: "True"},
		{name: "Figures", set: "import matplotlib.pyplot as plt\nf, ax = plt.subplots()\n_ = ax.plot([1, 2])\nplt.close(f)", check: "f.savefig('f.png')\nimport os\nprint(os.path.getsize('f.png') > 1000, len(ax.lines))", want: "True 1"},
		{name: "PlotSettings", set: "import matplotlib\nmatplotlib.rcParams['lines.linewidth'] = 7.5", check: "print(matplotlib.rcParams['lines.linewidth'])", want: "7.5"},
		{name: "DatabasesInMemory", set: "import sqlite3\nc = sqlite3.connect(':memory:')\n_ = c.execute('create table t(a)'), c.execute('insert into t values (8)')\nc.commit()", check: "print(c.execute('select a from t').fetchall())", want: "[(8,)]"},
		{name: "DatabasesInFiles", set: "import sqlite3\nc = sqlite3.connect('t.db')\n_ = c.execute('create table t(a)'), c.execute('insert into t values (8)')\nc.commit()", check: "_ = c.execute('insert into t values (9)')\nc.commit()\nprint(c.execute('select a from t').fetchall())", want: "[(8,), (9,)]"},
	}
}

// ofTheSystem is what the kernel keeps of a process.
func ofTheSystem() []kept {
	return []kept{
		{name: "WorkingDirectory", set: "import os\nos.mkdir('d'); os.chdir('d')", check: "print(os.getcwd())", want: "/workspace/output/d"},
		{name: "Environment", set: "import os\nos.environ['MINE'] = 'yes'", check: "import ctypes\ng = ctypes.CDLL(None).getenv\ng.restype = ctypes.c_char_p\nprint(os.environ['MINE'], g(b'MINE'))", want: "yes b'yes'"},
		{name: "FilesBeingRead", set: "open('f', 'w').write('one\\ntwo\\n') and None\nf = open('f')\n_ = f.readline()", check: "print(f.readline().strip())", want: "two"},
		{name: "FilesBeingWritten", set: "f = open('f', 'w')\n_ = f.write('one ')\nf.flush()", check: "_ = f.write('two')\nf.close()\nprint(open('f').read())", want: "one two"},
		{name: "UnflushedBytes", set: "f = open('f', 'w')\n_ = f.write('one ')", check: "_ = f.write('two')\nf.close()\nprint(open('f').read())", want: "one two"},
		{name: "RawOffsets", set: "import os\nfd = os.open('r', os.O_RDWR | os.O_CREAT)\n_ = os.write(fd, b'abcdef'), os.lseek(fd, 2, 0)", check: "print(os.read(fd, 2))", want: "b'cd'"},
		{name: "FilesWithoutAName", set: "import tempfile\nt = tempfile.TemporaryFile('w+')\n_ = t.write('kept')\nt.flush()", check: "_ = t.seek(0)\nprint(t.read())", want: "kept"},
		{
			name:  "LocksOfFilesThatAreClosed",
			set:   "import fcntl\nf = open('f', 'w')\nfcntl.flock(f, fcntl.LOCK_EX)",
			check: "g = open('f')\ntry: fcntl.flock(g, fcntl.LOCK_EX | fcntl.LOCK_NB)\nexcept BlockingIOError: print('held')\nf.close()\nfcntl.flock(g, fcntl.LOCK_EX | fcntl.LOCK_NB)\nprint('free')", want: "held\nfree",
		},
		{name: "Masks", set: "import os\n_ = os.umask(0o027)", check: "print(oct(os.umask(0)))", want: "0o27"},
		{name: "OwnLimits", set: "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))", check: "print(resource.getrlimit(resource.RLIMIT_NOFILE))", want: "(99, 99)"},
		{
			name: "Threads", gone: cellwall.LostThreads,
			set:   "import threading\ngo = threading.Event()\nout = []\nth = threading.Thread(target=lambda: (go.wait(), out.append(5)), daemon=True)\nth.start()",
			check: "go.set()\nth.join()\nprint(out)", want: "[5]",
		},
		{
			name: "Pools", gone: cellwall.LostPools,
			set:   "from concurrent.futures import ThreadPoolExecutor\np = ThreadPoolExecutor(2)\n_ = list(p.map(abs, [-1]))",
			check: "print(list(p.map(abs, [-2])))", want: "[2]",
		},
		{
			name: "Children", gone: cellwall.LostProcesses,
			set:   "import subprocess, sys\nc = subprocess.Popen([sys.executable, '-c', 'print(5)'], stdout=subprocess.PIPE)",
			check: "print(c.communicate()[0], c.returncode)", want: "b'5\\n' 0",
		},
		{
			name: "ChildrenThatReadToTheEnd", gone: cellwall.LostProcesses,
			set:   "import subprocess, sys\nc = subprocess.Popen([sys.executable, '-c', 'import sys; print(sys.stdin.read())'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)",
			check: "print(c.communicate(b'hi')[0], c.returncode)", want: "b'hi\\n' 0",
		},
		{
			name: "RecordLocks", gone: cellwall.LostLocks,
			set:   "import fcntl\nf = open('l', 'w')\nfcntl.lockf(f, fcntl.LOCK_EX)",
			check: "print(open('/proc/self/fdinfo/%d' % f.fileno()).read().count('lock:'))", want: "1",
		},
		{
			name: "Timers", gone: cellwall.LostTimers,
			set:   "import signal\n_ = signal.setitimer(signal.ITIMER_REAL, 1000)",
			check: "print(signal.getitimer(signal.ITIMER_REAL)[0] > 900)\n_ = signal.setitimer(signal.ITIMER_REAL, 0)", want: "True",
		},
		{
			name: "Pipes", gone: cellwall.LostPipes,
			set:   "import os\nr, w = os.pipe()\n_ = os.write(w, b'in')",
			check: "print(os.read(r, 9))", want: "b'in'",
		},
	}
}

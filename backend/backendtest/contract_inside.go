package backendtest

import (
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
)

// surroundings are what a program finds.
func surroundings() []row {
	sales := []abuse.File{{Name: "sales.csv", Data: []byte("region,qty\nNorth,1\nSouth,2\n")}}
	return []row{
		{name: "WorkingDirectoryIsOutDir", code: "import os\nprint(os.getcwd(), out_dir)", stdout: "/workspace/output /workspace/output\n"},
		{
			name: "OrdinaryUser", code: "import os, pwd\nprint(pwd.getpwuid(os.getuid()).pw_name, os.getuid() == os.geteuid() != 0, os.getgroups() in ([], [os.getgid()]))",
			stdout: "cellwall True True\n",
		},
		{name: "NamesAreThere", code: "print(pd.__name__, np.__name__, plt.__name__, type(dfs).__name__)", stdout: "pandas numpy matplotlib.pyplot dict\n"},
		{
			name: "DataIsThere", inputs: sales, code: "import os\nprint(int(df['qty'].sum()), list(dfs), os.listdir('/workspace/input'))",
			stdout: "3 ['sales'] ['sales.csv']\n",
		},
		{
			name: "TemporaryFilesWork", code: "import tempfile\nwith tempfile.TemporaryDirectory() as d:\n    open(d + '/x', 'w').write('x')\n    print(d.startswith('/tmp/'))",
			stdout: "True\n",
		},
		{name: "NoShell", code: "import subprocess\ntry:\n    subprocess.run('echo hi', shell=True)\nexcept FileNotFoundError:\n    print('none')", stdout: "none\n"},
		{
			name: "ChildrenWork", code: "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True, text=True).stdout.strip())",
			stdout: "42\n",
		},
		{name: "PoolsWork", code: "from multiprocessing import Pool\ndef f(n): return n * n\nwith Pool(2) as p: print(p.map(f, range(4)))", stdout: "[0, 1, 4, 9]\n"},
		{name: "ThreadPoolsWork", code: "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as p: print(sum(p.map(len, ['a', 'bb'])))", stdout: "3\n"},
		{name: "SharedMemoryWorks", code: "from multiprocessing import shared_memory\nm = shared_memory.SharedMemory(create=True, size=4096)\nm.buf[0] = 7\nprint(m.buf[0])\nm.close(); m.unlink()", stdout: "7\n"},
		{name: "EventLoopsWork", code: "import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 5\nprint(asyncio.run(f()) if not asyncio._get_running_loop() else await f())", stdout: "5\n"},
		{name: "TextIsUTF8", code: "print('销售额 ü', open('n.txt', 'w').encoding.lower())", stdout: "销售额 ü utf-8\n"},
		{name: "LocaleOfTheUserIsThere", code: "import locale\nlocale.setlocale(locale.LC_ALL, '')\nprint(f'{1234:n}', locale.getpreferredencoding(False))", stdout: "1234 utf-8\n"},
		{name: "EmptyStandardInput", code: "import sys\nprint(repr(sys.stdin.read()) if sys.stdin else 'closed')", look: func(t *testing.T, r *cellwall.Result) {
			if r.Stdout.Text != "''\n" && r.Stdout.Text != "closed\n" {
				t.Errorf("printed %q", r.Stdout.Text)
			}
		}},
		{
			name: "NothingSecretInTheEnvironment", code: "import os\nprint([k for k in os.environ if any(w in k.upper() for w in ('KEY', 'TOKEN', 'SECRET', 'PROXY', 'PASS', 'AWS', 'CELLWALL'))])",
			stdout: "[]\n",
		},
		{name: "ArtifactsComeBack", code: "open('a.csv', 'w').write('a,b\\n1,2\\n')\nopen('b.txt', 'w').write('text')", look: func(t *testing.T, r *cellwall.Result) {
			var names []string
			for _, a := range r.Artifacts {
				names = append(names, a.Name)
				if a.SHA256 == "" || a.Bytes == 0 || a.MediaType == "" || a.Path == "" || !cellwall.ValidID(cellwall.PrefixArtifact, a.ID) {
					t.Errorf("artifact %+v is not whole", a)
				}
			}
			if !slices.Equal(names, []string{"a.csv", "b.txt"}) {
				t.Errorf("artifacts are %v", names)
			}
		}},
		{name: "BoundaryIsTold", code: "pass", look: func(t *testing.T, r *cellwall.Result) {
			if r.Boundary.Backend == "" || r.Boundary.Environment == "" || r.Boundary.Network != "none" || !cellwall.ValidID(cellwall.PrefixExecution, r.ID) {
				t.Errorf("boundary %+v of %s", r.Boundary, r.ID)
			}
		}},
	}
}

// measured are programs whose usage is known.
func measured() []row {
	return []row{
		{
			name: "TimeIsMeasured", code: "import time\ntime.sleep(0.4)", look: func(t *testing.T, r *cellwall.Result) {
				if r.Usage.WallMS < 400 || r.Usage.WallMS > 10_000 || r.Usage.CPUMS > r.Usage.WallMS {
					t.Errorf("0.4 s asleep are measured as %+v", r.Usage)
				}
			},
		},
		{
			name: "ProcessorTimeIsMeasured", needs: "cpu_limit",
			code: "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass",
			look: func(t *testing.T, r *cellwall.Result) {
				if r.Usage.CPUMS < 290 || r.Usage.CPUMS > 2000 {
					t.Errorf("0.3 s of work are measured as %+v", r.Usage)
				}
			},
		},
		{
			name: "ProcessorIsLimited", needs: "cpu_limit", limits: cellwall.Limits{CPUs: 0.25},
			code: "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass",
			look: func(t *testing.T, r *cellwall.Result) {
				if r.Usage.WallMS < 800 {
					t.Errorf("0.3 s of work on a quarter of a processor took %.0f ms", r.Usage.WallMS)
				}
			},
		},
		{
			name: "MemoryIsMeasured", needs: abuse.MemoryLimit, code: "x = bytearray(b'x' * (64 << 20))", look: func(t *testing.T, r *cellwall.Result) {
				if p := r.Usage.MemoryPeakBytes; p < 64*cellwall.MiB || p > 512*cellwall.MiB {
					t.Errorf("128 MiB touched are measured as %d", p)
				}
			},
		},
		{
			name: "ProcessesAreMeasured", needs: abuse.ProcessLimit,
			code: "import threading\ngo = threading.Event()\nts = [threading.Thread(target=go.wait) for _ in range(10)]\n[t.start() for t in ts]\ngo.set()\n[t.join() for t in ts]",
			look: func(t *testing.T, r *cellwall.Result) {
				if n := r.Usage.ProcessesPeak; n < 11 || n > 64 {
					t.Errorf("11 threads are measured as %d", n)
				}
			},
		},
	}
}

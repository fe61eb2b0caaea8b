package backendtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
)

// denial is a program that meets the wall or a limit, and what the observation
// must name: the thing that was refused, and the way forward.
type denial struct {
	name   string
	code   string
	limits cellwall.Limits
	status []cellwall.Status // one of them; nil = error
	told   []string          // each somewhere in the observation
	hint   []string          // each in the hint
}

// runNamed demands that what is refused has a name (P24): no limit of the
// sandbox looks like a mistake in the code.
func runNamed(t *testing.T, s Setup) {
	for _, rows := range [][]denial{deniedCalls(), deniedSockets(), deniedPlaces(), deniedPrograms(), deniedSpace()} {
		for _, d := range rows {
			t.Run(d.name, func(t *testing.T) { d.run(t, s) })
		}
	}
	t.Run("SiblingsPassUnnamed", func(t *testing.T) { unnamed(t, s) })
}

func (d denial) run(t *testing.T, s Setup) {
	r := execute(t, s, cellwall.Request{Code: d.code, Limits: d.limits}, nil)
	want := d.status
	if want == nil {
		want = []cellwall.Status{cellwall.StatusError}
	}
	for _, p := range abuse.Judge(abuse.Program{Expect: abuse.Expect{Statuses: want}}, abuse.Outcome{Result: r}) {
		t.Error(p)
	}
	o := r.Observation
	whole := strings.Join(append(slices.Clone(o.Warnings), o.ErrorMessage, o.RetryHint), "\n")
	for _, text := range d.told {
		if !strings.Contains(whole, text) {
			t.Errorf("the observation does not name %q:\n%s", text, whole)
		}
	}
	for _, text := range d.hint {
		if !strings.Contains(o.RetryHint, text) {
			t.Errorf("the hint does not say %q: %s", text, o.RetryHint)
		}
	}
}

// unnamed are the siblings: what stands beside the refused things and works is
// not told as refused.
func unnamed(t *testing.T, s Setup) {
	r := execute(t, s, cellwall.Request{Code: `
import asyncio, ctypes, fcntl, mmap, os, socket, sqlite3, tempfile
left, right = socket.socketpair()
os.mkfifo("/tmp/fifo")
fcntl.fcntl(left, fcntl.F_GETFL)
mmap.mmap(-1, 1 << 16).close()
ctypes.CDLL(None).getpid()
sqlite3.connect("/tmp/a.db").execute("create table t(x)")
os.nice(0)
asyncio.run(asyncio.sleep(0))
tempfile.TemporaryFile().write(b"x")
pd.DataFrame({"a": [1]}).to_csv("a.csv")
`}, nil)
	if !r.OK || len(r.Warnings) != 0 {
		t.Errorf("ended as %s with warnings %q: %+v", r.Status, r.Warnings, r.Error)
	}
}

// native calls libc's syscall and raises what it answers; times says how often.
func native(times, call string) string {
	return "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nfor _ in range(" + times + "):\n    failed = libc." + call + " < 0\n" +
		"if failed:\n    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))"
}

// deniedCalls are refused system calls, from Python, from native code, from
// inside libraries, and where the code hides them.
func deniedCalls() []denial {
	return []denial{
		{name: "CallFromPython", code: "import os\nos.unshare(os.CLONE_NEWUSER)", told: []string{"unshare"}, hint: []string{"unshare", "another try"}},
		{name: "CallFromNativeCode", code: native("3", "ptrace(16, 1, 0, 0)"), told: []string{"ptrace × 3"}, hint: []string{"ptrace"}},
		{name: "CallByNumber", code: native("1", "syscall(425, 8, 0)"), hint: []string{"io_uring_setup"}},
		{name: "CallOfNoKernel", code: native("2", "syscall(555)"), hint: []string{"syscall_555 × 2"}},
		{name: "CallWithAPath", code: "import os\nos.chroot('/tmp')", hint: []string{"chroot"}},
		{name: "CallBehindAnAssertion", code: "import ctypes\nassert ctypes.CDLL(None).mount(b'a', b'/tmp', b'tmpfs', 0, 0) == 0", told: []string{"refused system calls: mount"}},
		{
			name: "CallThatTheCodeIgnores", code: "import ctypes\nctypes.CDLL(None).unshare(0x10000000)\nprint('went on')",
			status: []cellwall.Status{cellwall.StatusOK}, told: []string{"refused system calls: unshare"},
		},
		{
			name: "CallBeforeACrash", code: "import ctypes\nctypes.CDLL(None).syscall(321, 0)\nctypes.string_at(0)",
			status: []cellwall.Status{cellwall.StatusCrashed}, told: []string{"SIGSEGV", "refused system calls: bpf"},
		},
		{name: "CallThatWasWrapped", code: "import os\ntry:\n    os.unshare(0x10000000)\nexcept OSError as e:\n    raise RuntimeError('no luck') from e", hint: []string{"unshare"}},
		{name: "CallInAProcessPool", code: "import os\nfrom multiprocessing import Pool\ndef f(n): os.unshare(0x10000000)\nwith Pool(2) as p: p.map(f, [1])", hint: []string{"unshare"}},
		{name: "CallInAHelperProcess", code: "import multiprocessing\nmultiprocessing.Manager()", hint: []string{"bind"}},
		{name: "ArgumentOfACall", code: "import os, stat\nos.mknod('null', stat.S_IFCHR | 0o600, os.makedev(1, 3))", hint: []string{"mknodat(S_IFCHR)"}},
		{name: "RequestToADevice", code: "import fcntl\nfcntl.ioctl(open('a', 'w'), 0x5412, b'x')", hint: []string{"ioctl(TIOCSTI)"}},
		{name: "HugePages", code: "import mmap\nmmap.mmap(-1, 1 << 21, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)", hint: []string{"mmap(MAP_HUGETLB)"}},
		{name: "RightOverAPriority", code: "import os\nos.nice(-5)", hint: []string{"no rights"}},
		{name: "RightOverALimit", code: "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))", hint: []string{"no rights"}},
		{name: "RightOverAnOwner", code: "import os\nopen('a', 'w').close()\nos.chown('a', 0, 0)", hint: []string{"no rights"}},
		{name: "Terminal", code: "import termios\ntermios.tcgetattr(0)", hint: []string{"no terminal"}},
	}
}

// deniedSockets are families that do not exist inside, and the network from
// inside libraries.
func deniedSockets() []denial {
	const off = "network is off"
	return []denial{
		{name: "SocketInternet", code: "import socket\nsocket.create_connection(('10.0.0.1', 80))", told: []string{"socket(AF_INET)"}, hint: []string{off}},
		{name: "SocketVsock", code: "import socket\nsocket.socket(socket.AF_VSOCK)", hint: []string{"socket(AF_VSOCK)"}},
		{name: "SocketAlg", code: "import socket\nsocket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)", hint: []string{"socket(AF_ALG)"}},
		{name: "SocketNetlink", code: "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", hint: []string{"socket(AF_NETLINK)"}},
		{name: "SocketFromNativeCode", code: native("2", "socket(17, 3, 0)"), hint: []string{"socket(AF_PACKET) × 2"}},
		{name: "SocketName", code: "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('/tmp/x')", hint: []string{"bind"}},
		{name: "NetworkInURLLib", code: "import urllib.request\nurllib.request.urlopen('http://example.com')", hint: []string{off}},
		{name: "NetworkInPandas", code: "pd.read_csv('https://example.com/a.csv')", hint: []string{off}},
		{name: "NetworkInAsyncio", code: "import asyncio\nasync def main(): await asyncio.open_connection('127.0.0.1', 80)\nasyncio.run(main())", told: []string{"socket(AF_INET)"}, hint: []string{off}},
		{name: "ServerInAsyncio", code: "import asyncio\nasync def main(): await asyncio.start_server(print, '127.0.0.1', 0)\nasyncio.run(main())", told: []string{"socket(AF_INET)"}, hint: []string{off}},
	}
}

// deniedPlaces are read-only places and folders that do not exist.
func deniedPlaces() []denial {
	const offer = "/workspace/output"
	return []denial{
		{name: "PlaceInPython", code: "open('/usr/x', 'w')", hint: []string{`"/usr/x" is closed`, offer}},
		{name: "PlaceInMatplotlib", code: "plt.plot([1, 2])\nplt.savefig('/chart.png')", hint: []string{`"/chart.png" is closed`, offer}},
		{name: "PlaceInPandas", code: "pd.DataFrame({'a': [1]}).to_csv('/workspace/input/a.csv')", hint: []string{`"/workspace/input/a.csv" is closed`, offer}},
		{name: "PlaceInExcel", code: "pd.DataFrame({'a': [1]}).to_excel('/a.xlsx')", hint: []string{`"/a.xlsx" is closed`, offer}},
		{name: "PlaceInSQLite", code: "import sqlite3\nsqlite3.connect('/usr/a.db').execute('create table t(x)')", hint: []string{`"/usr/a.db" is closed`, offer}},
		{name: "PlaceOfADirectory", code: "import os\nos.makedirs('/data/out')", hint: []string{`"/data" is closed`, offer}},
		{name: "FolderInMatplotlib", code: "plt.plot([1, 2])\nplt.savefig('plots/a.png')", hint: []string{`folder for "plots/a.png"`, "os.makedirs"}},
		{name: "FolderInPandas", code: "pd.DataFrame({'a': [1]}).to_csv('/mnt/data/a.csv')", hint: []string{`folder for "/mnt/data/a.csv"`, offer}},
		{name: "FolderInLogging", code: "import logging\nlogging.basicConfig(filename='/var/log/app.log')", hint: []string{`folder for "/var/log/app.log"`, offer}},
	}
}

// deniedPrograms are modules and programs that are not installed.
func deniedPrograms() []denial {
	return []denial{
		{name: "Module", code: "import torch", hint: []string{`"torch" is not installed`, "pandas"}},
		{name: "ModuleThatTheCodeAsksFor", code: "try:\n    import xgboost\nexcept ImportError as e:\n    raise RuntimeError('this needs a package') from e", hint: []string{`"xgboost" is not installed`}},
		{name: "Installer", code: "import subprocess\nsubprocess.run(['pip', 'install', 'x'], check=True)", hint: []string{"Nothing can be installed"}},
		{name: "InstallerAsAModule", code: "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pip', 'install', 'x'], check=True)", hint: []string{"Nothing can be installed"}},
		{name: "Program", code: "import subprocess\nsubprocess.check_output(['ls', '-l'])", hint: []string{"no shell", "no other program"}},
		{name: "Shell", code: "import subprocess\nsubprocess.run('ls', shell=True, check=True)", hint: []string{"no shell"}},
	}
}

// deniedSpace are file systems that are full, by bytes and by files.
func deniedSpace() []denial {
	const mib = cellwall.MiB
	small := cellwall.Limits{WorkspaceBytes: 8 * mib, WorkspaceInodes: 100, TmpBytes: 4 * mib, TmpInodes: 50}
	full := []cellwall.Status{cellwall.StatusDiskLimit}
	told := []string{"no space left", "8 MiB in 100 files", "4 MiB in 50"}
	fill := "with open('fill', 'wb', 0) as f:\n    while f.write(bytes(4096)) == 4096: pass\n"
	fill = "try:\n    " + strings.ReplaceAll(strings.TrimSpace(fill), "\n", "\n    ") + "\nexcept OSError: pass\n"
	return []denial{
		{name: "SpaceInPython", code: "open('big', 'wb').write(bytes(16 << 20))", limits: small, status: full, hint: told},
		{name: "SpaceInPandas", code: fill + "pd.DataFrame(np.zeros((1000, 10))).to_csv('a.csv')", limits: small, status: full, hint: told},
		{name: "SpaceInExcel", code: fill + "pd.DataFrame(np.zeros((1000, 10))).to_excel('a.xlsx')", limits: small, status: full, hint: told},
		{name: "SpaceInMatplotlib", code: fill + "plt.plot([1, 2])\nplt.savefig('a.png')", limits: small, status: full, hint: told},
		{name: "SpaceInSQLite", code: "import sqlite3\nd = sqlite3.connect('a.db')\nd.execute('create table t(x)')\nfor _ in range(32): d.execute('insert into t values (zeroblob(1000000))')\nd.commit()", limits: small, status: full, hint: told},
		{name: "SpaceInNumpy", code: "np.save('a.npy', np.zeros(2 << 20))", limits: small, hint: told},
		{name: "SpaceThatWasGivenBack", code: "import os\ntry:\n    open('big', 'wb').write(bytes(16 << 20))\nfinally:\n    os.remove('big')", limits: small, hint: told},
		{name: "SpaceAskedForAtOnce", code: "import os\nos.posix_fallocate(os.open('b', os.O_CREAT | os.O_RDWR), 0, 1 << 30)", limits: small, hint: told},
		{name: "FilesInTheOutput", code: "for n in range(200): open(f'f{n}', 'w').close()", limits: small, status: full, hint: told},
		{name: "FilesAsFolders", code: "import os\nfor n in range(200): os.mkdir(f'd{n}')", limits: small, status: full, hint: told},
		{name: "TmpInTempfile", code: "import tempfile\nt = tempfile.NamedTemporaryFile()\nt.write(bytes(8 << 20))", limits: small, status: full, hint: told},
		{name: "TmpInPython", code: "open('/tmp/big', 'wb').write(bytes(8 << 20))", limits: small, status: full, hint: told},
		{name: "TmpFiles", code: "for n in range(100): open(f'/tmp/f{n}', 'w').close()", limits: small, status: full, hint: told},
		{
			name: "MappedFile", code: "m = np.memmap('a.dat', dtype='u1', mode='w+', shape=16 << 20)\nm[:] = 1", limits: small,
			status: full, told: []string{"disk limit"}, hint: told,
		},
		{
			name: "SharedMemory", code: "from multiprocessing import shared_memory\nm = shared_memory.SharedMemory(create=True, size=8 << 20)\nm.buf[:] = bytes(8 << 20)",
			limits: small, status: full, told: []string{"disk limit"}, hint: told,
		},
		{
			// The space goes back with the process that is killed for want of it:
			// no file system is full when the end is judged, and the hint must do.
			name: "MappedFileWithoutName", code: "import mmap, tempfile\nt = tempfile.TemporaryFile()\nt.truncate(8 << 20)\nm = mmap.mmap(t.fileno(), 8 << 20)\nm[:] = bytes(8 << 20)",
			limits: small, status: []cellwall.Status{cellwall.StatusCrashed}, hint: []string{"/dev/shm", "4 MiB"},
		},
	}
}

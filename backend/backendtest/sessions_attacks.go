package backendtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// reach is an attempt of a cell to get at its session's checkpoints: processes
// of its own user, in its own namespaces, that it can count but must not touch.
type reach struct {
	name string
	// aim is the body of a function of n, the number of a process, that raises
	// OSError when it cannot do what it wants.
	aim string
	// want is what every attempt on processes that are not the cell's is answered.
	want string
	// gate: the gate alone stands before it, and without that it gets through.
	gate bool
	// filter: the filter refuses it whomever it is aimed at; without that it gets
	// through to a child, at least.
	filter bool
	// also is what the same attempt on a child of the cell's own comes to; ""
	// stands for success. What nobody may do to anybody has no sibling.
	also string
}

// prelude finds the targets. A number that is somebody's has a group.
const prelude = `import ctypes, errno, fcntl, os, platform, resource, signal, struct, time
libc = ctypes.CDLL(None, use_errno=True)
def call(what, *a):
    ctypes.set_errno(0)
    done = (libc.syscall if isinstance(what, int) else getattr(libc, what))(*([what] if isinstance(what, int) else []), *a)
    if done == -1: raise OSError(ctypes.get_errno(), str(what))
    return done
def number(amd64, arm64): return amd64 if platform.machine() == 'x86_64' else arm64
def others(but):
    found = []
    for n in range(2, 4000):
        try: os.getpgid(n)
        except OSError: continue
        if n != os.getpid() and n not in but: found.append(n)
    return found
def attempt(aim, n):
    try: aim(n)
    except OSError as e: return errno.errorcode[e.errno]
    return 'reached'
`

// program is the attack as a cell.
func (r reach) program() string {
	var b strings.Builder
	b.WriteString(prelude + "def aim(n):\n")
	for line := range strings.Lines(r.aim) {
		b.WriteString("    " + line)
	}
	b.WriteString(`
r, w = os.pipe()
mine = os.fork()
if mine == 0:
    os.setsid()
    os.write(w, b'.')
    while True: time.sleep(99)
os.read(r, 1)
targets = others([mine])
print(len(targets) > 1, sorted({attempt(aim, n) for n in targets}, reverse=True), attempt(aim, mine), flush=True)
`)
	return b.String()
}

// fatal is the end of a cell that has changed something.
const fatal = "x = 0\nos._exit(3)\n"

// runReaches tries every attack, and that the state is there all the same.
func runReaches(t *testing.T, s Setup) {
	for _, rows := range [][]reach{bySignals(), byStanding(), byMemory(), byDescriptors()} {
		for _, r := range rows {
			t.Run(r.name, func(t *testing.T) {
				n := begin(t, s, cellwall.Limits{})
				n.says("x = 41", "")
				got := n.cell(r.program() + fatal) // back to what it aimed at
				want := fmt.Sprintf("True ['%s'] %s\n", r.want, r.sibling())
				if got.out != want {
					t.Errorf("printed %q %q, want %q", got.out, got.err, want)
				}
				n.died(got, "crashed exit:3")
				n.says("print(x + 1)", "42")
			})
		}
	}
	for _, h := range hammers() {
		t.Run(h.name, func(t *testing.T) { h.run(t, s) })
	}
	t.Run("NoChannelOfACheckpointIsLeftInside", func(t *testing.T) { channels(t, s) })
	t.Run("ChildrenAreTheCellsOwn", func(t *testing.T) { children(t, s) })
	t.Run("WithoutRoomForAForkTheSessionGoesOn", func(t *testing.T) { noRoom(t, s) })
}

func (r reach) sibling() string {
	if r.also == "" {
		return "reached"
	}
	return r.also
}

// SessionControls shows the attacks that the gate stops at work on a backend
// without it.
func SessionControls(t *testing.T, s Setup) {
	t.Helper()
	controlReaches(t, s, func(r reach) bool { return r.gate }, "True ['")
	for _, h := range hammers() {
		t.Run(h.name, func(t *testing.T) { h.control(t, s) })
	}
}

// SessionFilterControls shows those that the filter stops at work on a backend
// without it.
func SessionFilterControls(t *testing.T, s Setup) {
	t.Helper()
	controlReaches(t, s, func(r reach) bool { return r.filter }, "] ")
}

// controlReaches demands that attacks get through to whom they print behind a
// mark: the checkpoint, or the child.
func controlReaches(t *testing.T, s Setup, some func(reach) bool, mark string) {
	t.Helper()
	for _, rows := range [][]reach{bySignals(), byStanding(), byMemory(), byDescriptors()} {
		for _, r := range rows {
			if !some(r) {
				continue
			}
			t.Run(r.name, func(t *testing.T) {
				n := begin(t, s, cellwall.Limits{})
				n.says("x = 41", "")
				got := n.cell(r.program())
				if _, answers, _ := strings.Cut(got.out, mark); !strings.HasPrefix(answers, "reached") {
					t.Errorf("it printed %q %q, and ended %s %s", got.out, got.raised, got.Status, got.Cause)
				}
			})
		}
	}
}

// channels demands that a cell has its own channel and no other socket, after
// checkpoints were taken and gone back to.
func channels(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	const count = "import os\nprint(sum(os.readlink(f'/proc/self/fd/{f}').startswith('socket:') for f in os.listdir('/proc/self/fd') if os.path.lexists(f'/proc/self/fd/{f}')))"
	first := n.cell(count).out
	for range 3 {
		n.says("pass", "")
		n.died(n.cell("import os\nos._exit(1)"), "crashed exit:1")
	}
	if again := n.cell(count).out; again != first || first == "" {
		t.Errorf("there were %q sockets at first, and %q later", first, again)
	}
}

// children demands that wait meets nobody but what the cell started.
func children(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 1", "")
	n.says("import os\ntry: os.wait()\nexcept ChildProcessError: print('none')", "none")
	n.says("p = os.fork() or os._exit(0)\nprint(os.wait()[0] == p)\ntry: os.wait()\nexcept ChildProcessError: print('none')", "True\nnone")
	n.died(n.cell("import os\nos._exit(1)"), "crashed exit:1")
	n.says("try: os.wait()\nexcept ChildProcessError: print('none')", "none")
}

// noRoom takes what a checkpoint is made of away from under it.
func noRoom(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 41", "")
	n.says("import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (4, 4096))\ny = 1", "")
	got := n.cell("print(x, y)\nresource.setrlimit(resource.RLIMIT_NOFILE, (1024, 4096))")
	if got.Status == cellwall.StatusOK && got.noCheckpoint() == "" {
		t.Errorf("the checkpoint that could not be is not told: %v, %q", got.notices, got.err)
	}
	n.says("print(x)", "41")
}

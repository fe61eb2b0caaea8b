package native_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/testkit"
)

// told runs code in a fresh sandbox of b and returns what it printed.
func told(t *testing.T, b *native.Backend, code string) string {
	t.Helper()
	s, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return ask(t, s, code)
}

// ask runs code in s and returns what it printed.
func ask(t *testing.T, s cellwall.Sandbox, code string) string {
	t.Helper()
	var out strings.Builder
	run := cellwall.Code{Execution: cellwall.NewID("exec"), Source: code}
	end, err := s.Run(t.Context(), run, func(_ context.Context, e cellwall.Event) error {
		if e.Kind != cellwall.EventDatasets {
			out.Write(e.Data)
		}
		return nil
	})
	if err != nil || end.Status != cellwall.StatusOK {
		t.Fatalf("ended %s (%s), %v\n%s", end.Status, end.Cause, err, out.String())
	}
	return out.String()
}

// tries prints the name of the errno that each attempt met, or ESCAPED.
const tries = `
import ctypes, errno, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, act):
    try:
        act()
        print(name, "ESCAPED")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
`

// What every sandbox and the host share, or what leads to them, answers no, and
// what is counted for all of them together comes in small shares.
func TestOutside_IsNeitherTouchedNorNamed(t *testing.T) {
	testkit.RequireRoot(t)
	got := told(t, open(t), tries+`
for name in ("null", "zero", "full", "random", "urandom"):
    attempt("times of " + name, lambda: os.utime("/dev/" + name))
attempt("controller", lambda: socket.socket(fileno=os.dup(3)).getsockopt(socket.SOL_SOCKET, 77))
def sister():
    child = libc.syscall(56 if os.uname().machine == "x86_64" else 220, 0x8000 | 17, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    if child < 0:
        raise OSError(ctypes.get_errno(), "")
attempt("sister", sister)
def timers():
    while libc.timer_create(1, None, ctypes.byref(ctypes.c_int())) == 0:
        timers.made += 1
    raise OSError(ctypes.get_errno(), "")
timers.made = 0
attempt("timers", timers)
print("timers made", timers.made <= 256)
with open("/dev/null", "r+b", 0) as null:
    print("null takes", null.write(b"x"))
`)
	want := `times of null EROFS
times of zero EROFS
times of full EROFS
times of random EROFS
times of urandom EROFS
controller ENOPROTOOPT
sister EPERM
timers EAGAIN
timers made True
null takes 1
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A program that takes the interpreter's place is not killed for it: what it
// did is told by its own exit status.
func TestOutside_AProgramInTheInterpretersPlaceRunsToItsEnd(t *testing.T) {
	s, err := open(t).Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	code := cellwall.Code{Execution: cellwall.NewID("exec"), Source: "import os, sys\n" +
		"os.execv(sys.executable, ['python', '-c', 'import time; time.sleep(0.2); print(6 * 7); raise SystemExit(3)'])"}
	var out strings.Builder
	end, err := s.Run(t.Context(), code, func(_ context.Context, e cellwall.Event) error {
		out.Write(e.Data)
		return nil
	})
	if err != nil || end.Status != cellwall.StatusCrashed || end.Cause != "exit:3" || out.String() != "42\n" {
		t.Errorf("ended %s (%s), %v, printed %q", end.Status, end.Cause, err, out.String())
	}
}

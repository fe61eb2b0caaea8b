package seccomp

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Tests that need a filter in the kernel run this binary again: a filter is
// for good, and what the tests call is not meant for the test's own process.
const childVariable = "SECCOMP_TEST_CHILD"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(childVariable) {
	case "":
		os.Exit(m.Run())
	case "calls":
		err = childCalls(true)
	case "control":
		err = childCalls(false)
	case "exec":
		err = childExec()
	case "sweep":
		err = childSweep(true)
	case "sweep-control":
		err = childSweep(false)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

// A probe is one call for a child to make; Foreign makes it through int 0x80.
type probe struct {
	Label   string
	Number  uint32
	Args    [6]uint64
	Foreign bool
}

// outcome is what probes met, by label: an error name or "ok".
type outcome struct {
	Answers map[string]string
	Counts  []Count
}

// inChild makes the calls in a child, under the filter or without it.
func inChild(t *testing.T, mode string, probes []probe) outcome {
	t.Helper()
	in, err := json.Marshal(probes)
	if err != nil {
		t.Fatal(err)
	}
	cmd := childCommand(t, mode)
	cmd.Stdin = strings.NewReader(string(in))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("child %s: %v", mode, err)
	}
	var o outcome
	if err := json.Unmarshal(out, &o); err != nil {
		t.Fatalf("read answer of child: %v: %q", err, out)
	}
	return o
}

func childCommand(t *testing.T, mode string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), childVariable+"="+mode)
	return cmd
}

// childCalls is the child's side of inChild. The supervisor's goroutine runs
// on another thread of the same process, which is not under the filter.
func childCalls(filtered bool) error {
	probes, l, err := childStart(filtered)
	if err != nil {
		return err
	}
	o := outcome{Answers: make(map[string]string)}
	for _, p := range probes {
		o.Answers[p.Label] = p.call()
	}
	if l != nil {
		o.Counts = l.Counts()
	}
	return json.NewEncoder(os.Stdout).Encode(o)
}

// childStart reads what a child is to call and puts it under the filter, if it
// is to be; the listener is nil otherwise.
func childStart(filtered bool) (probes []probe, l *Listener, err error) {
	if err := json.NewDecoder(os.Stdin).Decode(&probes); err != nil || !filtered {
		return probes, nil, err
	}
	s, err := NewSupervisor()
	if err != nil {
		return nil, nil, err
	}
	l, err = loadInto(s, Profile{})
	return probes, l, err
}

// loadInto puts the calling thread under a filter that s supervises.
func loadInto(s *Supervisor, p Profile) (*Listener, error) {
	prog, err := Compile(p, hostArch)
	if err != nil {
		return nil, err
	}
	fd, err := Load(prog)
	if err != nil {
		return nil, err
	}
	// From another thread: what Add does is refused on this one, and would wait
	// for the very listener that it adds.
	var l *Listener
	added := make(chan struct{})
	go func() {
		defer close(added)
		l, err = s.Add(fd)
	}()
	<-added
	return l, err
}

func (p probe) call() string {
	if p.Foreign {
		return foreignCall(p.Number)
	}
	a := p.Args
	_, _, errno := unix.Syscall6(uintptr(p.Number), uintptr(a[0]), uintptr(a[1]), uintptr(a[2]), uintptr(a[3]), uintptr(a[4]), uintptr(a[5]))
	if errno == 0 {
		return "ok"
	}
	return unix.ErrnoName(errno)
}

// childExec loads the filter, sends the listener over descriptor 3 and
// becomes the command in its arguments, as the driver does.
func childExec() error {
	prog, err := Compile(Profile{}, hostArch)
	if err != nil {
		return err
	}
	fd, err := Load(prog)
	if err != nil {
		return err
	}
	if err := unix.Sendmsg(3, []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
		return fmt.Errorf("send listener: %w", err)
	}
	unix.Close(3)
	unix.Close(fd)
	os.Unsetenv(childVariable)
	return fmt.Errorf("execute: %w", unix.Exec(os.Args[1], os.Args[1:], os.Environ()))
}

// underFilter runs a command under the filter and s, and returns its listener
// and a function that waits for it.
func underFilter(t *testing.T, s *Supervisor, args ...string) (*Listener, *exec.Cmd, *strings.Builder) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	theirs := os.NewFile(uintptr(pair[1]), "listener")
	var out strings.Builder
	cmd := childCommand(t, "exec", args...)
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	l, err := s.Add(receiveListener(t, pair[0]))
	if err != nil {
		t.Fatal(err)
	}
	return l, cmd, &out
}

func receiveListener(t *testing.T, socket int) int {
	t.Helper()
	buf, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, buf, oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		t.Fatalf("no listener came from the child: %v", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		t.Fatal(err)
	}
	return fds[0]
}

func newSupervisor(t *testing.T) *Supervisor {
	t.Helper()
	s, err := NewSupervisor()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

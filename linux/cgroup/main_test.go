package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/internal/testkit"
)

// The test binary runs itself in a role, inside a group.
const roleVariable = "CELLWALL_CGROUP_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		enter(int(number("_FILES")))
		roles[role](number("_N"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// number reads one of the role's numbers, 0 when it has none.
func number(of string) int64 {
	text, ok := os.LookupEnv(roleVariable + of)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// enter joins a group by its files, which begin at descriptor 3.
func enter(files int) {
	for fd := 3; fd < 3+files; fd++ {
		if _, err := unix.Write(fd, []byte("0\n")); err != nil {
			panic(err)
		}
	}
}

var roles = map[string]func(n int64){
	"hold":  func(n int64) { touch(n); fmt.Println("ready"); time.Sleep(time.Hour) },
	"touch": func(n int64) { touch(n) },
	"spin": func(int64) {
		for {
			runtime.Gosched()
		}
	},
	"fork": forkUntilRefused,
	"join": join,
	"born": func(int64) { fmt.Println(born(3)) },
	"bomb": func(int64) { bomb() },
}

// touch makes n bytes resident.
func touch(n int64) {
	const chunk = 4 << 20
	for ; n > 0; n -= chunk {
		b, err := unix.Mmap(-1, 0, chunk, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			panic(err)
		}
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
	}
}

// clone forks without the runtime's knowledge; the child must make raw calls
// only.
func clone() (pid uintptr, errno syscall.Errno) {
	pid, _, errno = syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	return pid, errno
}

func forkUntilRefused(n int64) {
	for range n {
		pid, errno := clone()
		for pid == 0 && errno == 0 { // the child: wait for ever
			syscall.RawSyscall6(syscall.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
		}
		if errno != 0 {
			fmt.Println(errno == syscall.EAGAIN, errno)
			time.Sleep(time.Hour)
		}
	}
	fmt.Println("never refused")
}

// join writes itself into n groups, whose files begin at descriptor 3, and tells
// where it is then.
func join(n int64) {
	enter(int(n))
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(text)
}

// born makes a child in the group of a descriptor and tells how that went.
func born(group int) error {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=touch", roleVariable+"_N=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: group}
	return cmd.Run()
}

func bomb() {
	fmt.Println("ready")
	for {
		clone()
	}
}

var instances atomic.Int64

// newInstance makes an instance with a name of this run, closed and looked for
// after the test.
func newInstance(t testing.TB, h Hierarchy) *Instance {
	t.Helper()
	name := fmt.Sprintf("test-%d-%d", os.Getpid(), instances.Add(1))
	i, err := NewInstance(h, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
		for _, tr := range h.trees {
			if d := tr.mount.dir(tr.instancePath(name)); exists(d) {
				t.Errorf("%s is left behind", d)
			}
		}
	})
	return i
}

func exists(name string) bool { return unix.Access(name, unix.F_OK) == nil }

// detect gives this host's hierarchy, or skips with what it said.
func detect(t testing.TB) Hierarchy {
	t.Helper()
	h, err := Detect()
	if err != nil {
		t.Fatal(err)
	}
	if !h.Usable() {
		if os.Geteuid() == 0 && !readOnly(h) {
			t.Fatalf("root cannot use the controllers: %+v", h.Controllers)
		}
		t.Skipf("skip, proof: uid %d, controllers %+v", os.Geteuid(), h.Controllers)
	}
	return h
}

func readOnly(h Hierarchy) bool {
	return unix.Access("/sys/fs/cgroup", unix.W_OK) == unix.EROFS
}

func newGroup(t testing.TB, i *Instance, name string, l Limits) *Group {
	t.Helper()
	g, err := i.New(name, l)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// start runs a role inside the group, born there.
func start(t testing.TB, g *Group, role string, n int64) (*exec.Cmd, *lines) {
	t.Helper()
	return startWith(t, g, role, n, nil)
}

// idle is a process that waits: of one thread where only threads can be moved. The
// emulated machine has no programs.
func idle(h Hierarchy) *exec.Cmd {
	if h.Version == V1 {
		return exec.Command("sleep", "60")
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=hold", roleVariable+"_N=4096")
	return cmd
}

// startAgain is start in a group that was emptied: there the role enters by
// itself, see Group.FD.
func startAgain(t testing.TB, g *Group, role string, n int64) (*exec.Cmd, *lines) {
	t.Helper()
	if g.inst.h.Version != V2 {
		return start(t, g, role, n)
	}
	files, err := g.JoinFiles()
	if err != nil {
		t.Fatal(err)
	}
	defer files[0].Close()
	return startWith(t, g, role, n, files)
}

func startWith(t testing.TB, g *Group, role string, n int64, files []*os.File) (*exec.Cmd, *lines) {
	t.Helper()
	out := &lines{c: make(chan string, 16)}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"="+role,
		fmt.Sprintf("%s_N=%d", roleVariable, n), fmt.Sprintf("%s_FILES=%d", roleVariable, len(files)))
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = out, os.Stderr, files
	cmd.WaitDelay = testkit.Scale(time.Second)
	begin := func() error { return startInside(g, cmd) }
	if files != nil {
		begin = cmd.Start
	}
	if err := begin(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testkit.Scale(10*time.Second))
		defer cancel()
		if err := g.Kill(ctx); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		cmd.Wait()
	})
	return cmd, out
}

func startInside(g *Group, cmd *exec.Cmd) error {
	if g.inst.h.Version == V2 {
		fd, err := g.FD()
		if err != nil {
			return err
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: fd}
		return cmd.Start()
	}
	return g.Inside(cmd.Start)
}

// lines hands on what a role printed.
type lines struct{ c chan string }

func (l *lines) Write(p []byte) (int, error) {
	l.c <- string(p)
	return len(p), nil
}

// next waits for output; the bound is a guard against hanging.
func (l *lines) next(t testing.TB) string {
	t.Helper()
	select {
	case s := <-l.c:
		return s
	case <-time.After(testkit.Scale(20 * time.Second)):
		t.Fatal("the child said nothing")
		return ""
	}
}

// eventually polls until the group's events satisfy ok.
func eventually(t testing.TB, g *Group, ok func(Events) bool) Events {
	t.Helper()
	end := time.Now().Add(testkit.Scale(20 * time.Second))
	for {
		e, err := g.Events()
		if err != nil {
			t.Fatal(err)
		}
		if ok(e) {
			return e
		}
		if time.Now().After(end) {
			t.Fatalf("never happened, events: %+v", e)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func asNobody() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

package seccomp

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// thread runs f on a thread of its own under a filter that s supervises. The
// thread ends with f, and the listener with it.
func thread(t *testing.T, s *Supervisor, f func()) *Listener {
	t.Helper()
	return threadUnder(t, Profile{}, s.Add, f)
}

// threadUnder is thread under the filter of a profile; add takes its listener.
func threadUnder(t *testing.T, p Profile, add func(fd int) (*Listener, error), f func()) *Listener {
	t.Helper()
	prog := compileFor(t, p, hostArch)
	fds, start := make(chan int), make(chan struct{})
	go disposable(func() {
		fd, err := Load(prog)
		if err != nil {
			t.Error(err)
		}
		fds <- fd
		<-start
		f()
	})
	l, err := add(<-fds)
	close(start)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// disposable runs f, which spoils its thread, on one that can end: the first
// thread of a process never does.
func disposable(f func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
	runtime.UnlockOSThread()
}

func refused(t *testing.T, nr uint32) {
	if _, _, errno := unix.Syscall(uintptr(nr), 0, 0, 0); errno != unix.EPERM {
		t.Errorf("call %d: %v, want EPERM", nr, errno)
	}
}

func ended(t *testing.T, l *Listener) {
	t.Helper()
	select {
	case <-l.Done():
	case <-time.After(20 * time.Second): // a guard against hanging only
		t.Fatal("the listener did not end with its last task")
	}
}

func total(l *Listener) (n int64) {
	for _, c := range l.Counts() {
		n += c.N
	}
	return n
}

func TestListenerEndsWithItsLastTaskAndKeepsItsCounts(t *testing.T) {
	s := newSupervisor(t)
	bpf, keyctl := numberOf(t, "bpf"), numberOf(t, "keyctl")
	l := thread(t, s, func() {
		refused(t, bpf)
		refused(t, keyctl)
		refused(t, bpf)
	})
	ended(t, l)
	got := l.Counts()
	if len(got) != 2 || got[0] != (Count{"bpf", 2}) || got[1] != (Count{"keyctl", 1}) {
		t.Errorf("counted %v", got)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listeners) != 0 {
		t.Errorf("the supervisor still holds %d listeners", len(s.listeners))
	}
}

// TestP15_OneFlooderDoesNotStarveTheOthers lets one sandbox flood while
// another makes more calls than a flooder gets in the same turns.
func TestP15_OneFlooderDoesNotStarveTheOthers(t *testing.T) {
	s := newSupervisor(t)
	bpf := numberOf(t, "bpf")
	stop, flooding := make(chan struct{}), make(chan struct{})
	flooder := thread(t, s, func() {
		for i := 0; ; i++ {
			if i == Burst+1 { // it has been paused at least once by now
				close(flooding)
			}
			select {
			case <-stop:
				return
			default:
				refused(t, bpf)
			}
		}
	})
	<-flooding
	before := total(flooder)
	other := thread(t, s, func() {
		for range Burst / 2 {
			refused(t, bpf)
		}
	})
	ended(t, other)
	during := total(flooder) - before
	close(stop)
	ended(t, flooder)
	if total(other) != Burst/2 {
		t.Errorf("the other sandbox was counted %d times, want %d", total(other), Burst/2)
	}
	if during > Burst/2 {
		t.Errorf("the flooder was served %d times while the other was served %d", during, Burst/2)
	}
}

func TestOneGoroutineServesManySandboxes(t *testing.T) {
	s := newSupervisor(t)
	bpf := numberOf(t, "bpf")
	hold := make(chan struct{})
	var all []*Listener
	before := runtime.NumGoroutine()
	for range 200 {
		all = append(all, thread(t, s, func() { refused(t, bpf); <-hold }))
	}
	if grown := runtime.NumGoroutine() - before; grown > len(all)+1 { // disposable takes one more for the first thread
		t.Errorf("%d goroutines for %d sandboxes beside their own", grown-len(all), len(all))
	}
	close(hold)
	for _, l := range all {
		ended(t, l)
		if total(l) != 1 {
			t.Errorf("counted %v", l.Counts())
		}
	}
}

func TestNamesAreBounded(t *testing.T) {
	l := &Listener{counts: make(map[string]int64)}
	for i := range 10 * maxNames {
		l.count("ioctl(" + strconv.Itoa(i) + ")")
	}
	if got := l.Counts(); len(got) != maxNames+1 || got[0] != (Count{otherNames, 9 * maxNames}) {
		t.Errorf("%d names, first %v", len(got), got[0])
	}
}

func TestClosedSupervisorLeavesTheAnswerToTheKernel(t *testing.T) {
	s := newSupervisor(t)
	bpf := numberOf(t, "bpf")
	asked, closed := make(chan struct{}), make(chan unix.Errno, 1)
	l := thread(t, s, func() {
		<-asked
		_, _, errno := unix.Syscall(uintptr(bpf), 0, 0, 0)
		closed <- errno
	})
	if err := errors.Join(s.Close(), s.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	ended(t, l)
	close(asked)
	if errno := <-closed; errno != unix.ENOSYS {
		t.Errorf("answered %v, want ENOSYS", errno)
	}
	fd, err := unix.Eventfd(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(fd); !errors.Is(err, errClosed) {
		t.Errorf("a closed supervisor took a listener: %v", err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
		t.Error("a descriptor that was not taken was not closed")
	}
}

func TestAddRefusesWhatCannotBeWatched(t *testing.T) {
	s := newSupervisor(t)
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd, err := unix.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(fd); err == nil {
		t.Error("a plain file was taken for a listener")
	}
}

// TestEndedListenerLeavesTheEpollSet holds a second descriptor of the listener
// open, which would keep the supervisor busy with events of nobody.
func TestEndedListenerLeavesTheEpollSet(t *testing.T) {
	s := newSupervisor(t)
	hold := make(chan struct{})
	defer close(hold)
	l := thread(t, s, func() { <-hold })
	second, err := unix.Dup(l.fd)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(second)
	l.Close()
	set, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(s.epoll))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(set), "tfd:"); n != 1 { // the wake-up descriptor
		t.Errorf("%d descriptors in the set, want 1:\n%s", n, set)
	}
}

// TestKilledCallerLeavesNothingBehind kills sandboxes in the middle of floods.
func TestKilledCallerLeavesNothingBehind(t *testing.T) {
	s := newSupervisor(t)
	for range 3 {
		l, cmd, _ := underFilter(t, s, python(t), "-c", "import socket\nwhile 1:\n try: socket.socket()\n except OSError: pass")
		for total(l) < 100 {
			runtime.Gosched()
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("ended with %v", err)
		}
		ended(t, l)
	}
}

func TestBudgetPausesAndComesBack(t *testing.T) {
	now := time.Unix(0, 0)
	b := newBudget(now)
	for i := range Burst {
		if !b.take(now, false) {
			t.Fatalf("refused call %d of %d", i, Burst)
		}
	}
	if b.take(now, false) || b.ready(now.Add(time.Millisecond)) {
		t.Error("more than the burst at once")
	}
	if !b.ready(now.Add(10 * time.Millisecond)) {
		t.Error("nothing came back in 10 ms")
	}
	if now = now.Add(time.Hour); !b.take(now, false) || b.left != Burst-1 {
		t.Errorf("%v left after an hour, want %d", b.left, Burst-1)
	}
}

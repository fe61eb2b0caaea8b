package seccomp

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// judgeFunc judges signal 0, which the tests send. All other calls are those of
// the test's own runtime and go on.
type judgeFunc func(Call) Answer

func (j judgeFunc) Judge(c Call) Answer {
	if c.Name == "kill" && c.Args[1] == 0 {
		return j(c)
	}
	return Answer{Continue: true}
}

// judgedThread is thread under the filter of a session.
func judgedThread(t *testing.T, s *Supervisor, j Judge, f func()) *Listener {
	t.Helper()
	add := s.Add
	if j != nil {
		add = func(fd int) (*Listener, error) { return s.AddJudged(fd, j) }
	}
	return threadUnder(t, Profile{Session: true}, add, f)
}

func signalNothing(pid int) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_KILL, uintptr(pid), 0, 0)
	return errno
}

func TestM40_AJudgeDecidesByWhatIsInRegisters(t *testing.T) {
	self := unix.Getpid()
	for name, tt := range map[string]struct {
		answer  Answer
		want    unix.Errno
		counted []Count
	}{
		"goes on":                     {Answer{Continue: true}, 0, nil},
		"refused and counted":         {Answer{Errno: unix.EPERM}, unix.EPERM, []Count{{"kill", 1}}},
		"like a number of nobody":     {Answer{Errno: unix.ESRCH}, unix.ESRCH, nil},
		"a judge that says nothing":   {Answer{}, unix.ENOSYS, []Count{{"kill", 1}}},
		"an error weighs more: never": {Answer{Continue: true, Errno: unix.EPERM}, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			asked, threads, answers := make(chan Call, 1), make(chan int, 1), make(chan unix.Errno, 1)
			l := judgedThread(t, newSupervisor(t), judgeFunc(func(c Call) Answer { asked <- c; return tt.answer }), func() {
				threads <- unix.Gettid()
				answers <- signalNothing(self)
			})
			ended(t, l)
			if got := <-answers; got != tt.want || !slices.Equal(l.Counts(), tt.counted) {
				t.Errorf("answered %v and counted %v, want %v and %v", got, l.Counts(), tt.want, tt.counted)
			}
			if c, thread := <-asked, <-threads; c.PID != thread || c.Name != "kill" || c.Args[0] != uint64(self) {
				t.Errorf("the judge was asked about %+v of thread %d", c, thread)
			}
		})
	}
}

func TestM40_WithoutAJudgeASessionsCallsAreRefused(t *testing.T) {
	answers := make(chan unix.Errno, 1)
	l := judgedThread(t, newSupervisor(t), nil, func() { answers <- signalNothing(unix.Getpid()) })
	ended(t, l)
	if got := <-answers; got != unix.ENOSYS || total(l) != 1 {
		t.Errorf("answered %v, counted %v", got, l.Counts())
	}
}

func TestM40_AHeldCallWaitsAndIsJudgedAgain(t *testing.T) {
	var mu sync.Mutex
	answer := Answer{Hold: true}
	asked, done := make(chan struct{}, 9), make(chan unix.Errno, 1)
	l := judgedThread(t, newSupervisor(t), judgeFunc(func(Call) Answer {
		mu.Lock()
		defer mu.Unlock()
		asked <- struct{}{}
		return answer
	}), func() { done <- signalNothing(unix.Getpid()) })
	<-asked
	l.Release() // still to be held
	<-asked
	select {
	case errno := <-done:
		t.Fatalf("a held call was answered %v", errno)
	case <-time.After(20 * time.Millisecond):
	}
	mu.Lock()
	answer = Answer{Errno: unix.ESRCH}
	mu.Unlock()
	l.Release()
	if errno := <-done; errno != unix.ESRCH {
		t.Errorf("answered %v", errno)
	}
	ended(t, l)
}

// TestM40_NoReleaseIsMissed releases while the judge makes up its mind.
func TestM40_NoReleaseIsMissed(t *testing.T) {
	var open atomic.Bool
	var l *Listener
	ready := make(chan struct{})
	l = judgedThread(t, newSupervisor(t), judgeFunc(func(Call) Answer {
		<-ready
		if open.Load() {
			return Answer{Continue: true}
		}
		open.Store(true)
		l.Release() // what was decided here is out of date when it arrives
		return Answer{Hold: true}
	}), func() {
		if errno := signalNothing(unix.Getpid()); errno != 0 {
			t.Errorf("answered %v", errno)
		}
	})
	close(ready)
	ended(t, l)
}

// TestP15_ASlowJudgeStopsNobodyElse lets one session's judge sleep.
func TestP15_ASlowJudgeStopsNobodyElse(t *testing.T) {
	s := newSupervisor(t)
	asked, wait := make(chan struct{}), make(chan struct{})
	slow := judgedThread(t, s, judgeFunc(func(Call) Answer { close(asked); <-wait; return Answer{Continue: true} }),
		func() { signalNothing(unix.Getpid()) })
	<-asked
	other := thread(t, s, func() { refused(t, numberOf(t, "bpf")) })
	ended(t, other)
	close(wait)
	ended(t, slow)
}

func TestP15_AJudgesTimeIsPaidByItsSession(t *testing.T) {
	s := newSupervisor(t)
	const each = 2 * time.Millisecond
	l := judgedThread(t, s, judgeFunc(func(Call) Answer { time.Sleep(each); return Answer{Continue: true} }), func() {
		for range 5 {
			signalNothing(unix.Getpid())
		}
	})
	ended(t, l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if want := float64(Burst - 5*each/callCost); l.budget.left > want {
		t.Errorf("%v of %d are left, want at most %v", l.budget.left, Burst, want)
	}
}

// TestP15_AHurryIsOwedAndPaidBack lets a sandbox that has used up its allowance
// make calls at once.
func TestP15_AHurryIsOwedAndPaidBack(t *testing.T) {
	s := newSupervisor(t)
	const owed = 100
	wait, served := make(chan struct{}), make(chan struct{})
	l := thread(t, s, func() {
		<-wait
		for range owed {
			refused(t, numberOf(t, "bpf"))
		}
		close(served)
	})
	l.mu.Lock()
	l.budget.left = -Rate * 1000 // a thousand seconds
	l.mu.Unlock()
	close(wait)
	select {
	case <-served:
		t.Fatal("calls are served without any allowance")
	case <-time.After(5 * parkTime):
	}
	l.Hurry(true)
	<-served
	ended(t, l)
	if l.mu.Lock(); l.budget.left > -Rate*999-owed {
		t.Errorf("%v are left: what was served in a hurry is not owed", l.budget.left)
	}
	l.mu.Unlock()
}

func TestACourtTakesOnlySoMany(t *testing.T) {
	c := newCourt(&Listener{}, nil, notifSizes{response: minResponse})
	for i := range maxPleas {
		if !c.admit(plea{id: uint64(i)}) {
			t.Fatalf("plea %d was turned away", i)
		}
	}
	if c.admit(plea{}) {
		t.Error("one too many was taken")
	}
	c.held, c.waiting = c.waiting[:10], c.waiting[10:]
	if c.release(); len(c.waiting) != maxPleas || len(c.held) != 0 || c.waiting[0].id != 0 {
		t.Errorf("%d wait and %d are held after a release, first %d", len(c.waiting), len(c.held), c.waiting[0].id)
	}
}

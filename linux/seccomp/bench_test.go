package seccomp

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkCall shows what the filter costs a call: without it, where the
// kernel's bitmap answers, where the program runs, and where the supervisor
// does. RawSyscall keeps the scheduler of Go out of the figure.
func BenchmarkCall(b *testing.B) {
	getpid, fcntl, clone3 := numberOf(b, "getpid"), numberOf(b, "fcntl"), numberOf(b, "clone3")
	loop := func(nr uint32, args ...uintptr) func(*testing.B) {
		a := append(args, 0, 0)
		return func(b *testing.B) {
			b.ResetTimer()
			for range b.N {
				unix.RawSyscall(uintptr(nr), a[0], a[1], 0)
			}
		}
	}
	b.Run("unfiltered/getpid", loop(getpid))
	b.Run("unfiltered/fcntl", loop(fcntl, 0, unix.F_GETFD))
	b.Run("allowed/getpid", underFilterB(loop(getpid)))
	b.Run("condition/fcntl", underFilterB(loop(fcntl, 0, unix.F_GETFD)))
	b.Run("quiet/clone3", underFilterB(loop(clone3)))
}

// BenchmarkRefusedCall is a refused call, with its way to the supervisor and
// back, as long as the allowance lasts.
func BenchmarkRefusedCall(b *testing.B) {
	bpf := numberOf(b, "bpf")
	var spent time.Duration
	for n := 0; n < b.N; n += Burst {
		calls := min(Burst, b.N-n)
		underFilterB(func(*testing.B) {
			start := time.Now()
			for range calls {
				unix.Syscall(uintptr(bpf), 0, 0, 0)
			}
			spent += time.Since(start)
		})(b)
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/call")
}

// BenchmarkInstall is what a sandbox pays once.
func BenchmarkInstall(b *testing.B) {
	prog := compileFor(b, Profile{}, hostArch)
	var spent time.Duration
	for range b.N {
		done := make(chan struct{})
		go disposable(func() {
			defer close(done)
			start := time.Now()
			fd, err := Load(prog)
			spent += time.Since(start)
			if err != nil {
				b.Error(err)
			}
			unix.Close(fd)
		})
		<-done
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/install")
	b.ReportMetric(float64(len(prog)), "instructions")
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := Compile(Profile{}, hostArch); err != nil {
			b.Fatal(err)
		}
	}
}

// underFilterB runs f on a filtered thread of its own.
func underFilterB(f func(*testing.B)) func(*testing.B) {
	return func(b *testing.B) {
		s, err := NewSupervisor()
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		prog := compileFor(b, Profile{}, hostArch)
		fds, start, done := make(chan int), make(chan struct{}), make(chan struct{})
		go disposable(func() {
			defer close(done)
			fd, err := Load(prog)
			if err != nil {
				b.Error(err)
			}
			fds <- fd
			<-start
			f(b)
		})
		if _, err := s.Add(<-fds); err != nil {
			b.Error(err)
		}
		close(start)
		<-done
	}
}

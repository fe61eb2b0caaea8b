package pidfd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func start(t *testing.T, name string, arg ...string) (*exec.Cmd, *Process) {
	t.Helper()
	cmd := exec.Command(name, arg...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p, err := Open(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return cmd, p
}

func TestKillIsSeenByWait(t *testing.T) {
	cmd, p := start(t, "sleep", "60")
	if p.Ended() {
		t.Fatal("a sleeping process is said to have ended")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Wait on a sleeping process = %v, want the context's error", err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	patient, cancelPatient := context.WithTimeout(context.Background(), time.Minute)
	defer cancelPatient()
	if err := p.Wait(patient); err != nil {
		t.Fatalf("Wait after a Wait that was given up = %v", err)
	}
	_ = cmd.Wait()
	if !p.Ended() {
		t.Fatal("a killed and reaped process is said to live")
	}
	if err := p.Kill(); err != nil {
		t.Fatalf("Kill of an ended process = %v, want nil", err)
	}
}

func TestWaitReturnsAtTheEnd(t *testing.T) {
	cmd, p := start(t, "true")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestKillHeldTakesNoDescriptor(t *testing.T) {
	cmd, p := start(t, "sleep", "60")
	fd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	held := os.NewFile(uintptr(fd), "held")
	defer held.Close()
	if EndedHeld(held) {
		t.Error("a living process is said to have ended")
	}
	if err := KillHeld(held); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := KillHeld(held); err != nil {
		t.Errorf("an ended process: %v", err)
	}
	if !EndedHeld(held) {
		t.Error("an ended process is said to live")
	}
}

func TestSignalReachesTheProcessAsItself(t *testing.T) {
	cmd, p := start(t, "sleep", "60")
	if err := p.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGUSR1 {
		t.Fatalf("the process ended with %v, want SIGUSR1", err)
	}
	if err := p.Signal(syscall.SIGUSR1); err != nil {
		t.Errorf("a process that has ended: %v", err)
	}
}

package backendtest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/pentest"
)

const (
	keepBytes  = 1 << 20
	countBytes = 1 << 30
	// linger is how long the output is heard after the program's own end, so
	// that what it left behind can speak.
	linger = 1500 * time.Millisecond
)

// once runs the attack a single time, plainly.
func once(spec cellSpec, w *pentest.Canary, report *cellReport) error {
	args := []string{attackPath}
	if spec.Harness != "" {
		args = []string{harnessPath, attackPath}
	}
	cmd := exec.Command(spec.Interpreter, args...)
	cmd.Dir = outputDir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/home", "LANG=C.UTF-8", "OPENBLAS_NUM_THREADS=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out, errOut ear
	var hearing sync.WaitGroup
	var pipes []*os.File
	for _, side := range []struct {
		ear *ear
		to  *io.Writer
	}{{&out, &cmd.Stdout}, {&errOut, &cmd.Stderr}} {
		r, wr, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("run attack: %w", err)
		}
		defer r.Close()
		*side.to = wr
		pipes = append(pipes, wr)
		hearing.Go(func() { side.ear.listen(r) })
	}
	err := cmd.Start()
	for _, p := range pipes {
		p.Close()
	}
	if err != nil {
		return fmt.Errorf("run attack: %w", err)
	}
	report.Exhibit.TimedOut = waitFor(cmd, spec.Timeout)
	report.Exhibit.Exit, report.Exhibit.Signal = howEnded(cmd)
	heard := make(chan struct{})
	go func() { hearing.Wait(); close(heard) }()
	select {
	case <-heard:
	case <-time.After(testkit.Scale(linger)):
	}
	out.into(&report.Stdout, &report.Exhibit.StdoutBytes)
	errOut.into(&report.Stderr, &report.Exhibit.StderrBytes)
	return nil
}

// waitFor kills the program's process group after the time, and says so.
func waitFor(cmd *exec.Cmd, limit time.Duration) bool {
	timer := time.AfterFunc(limit, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	cmd.Wait() //nolint:errcheck // howEnded reads it from the process state
	return !timer.Stop()
}

func howEnded(cmd *exec.Cmd) (int, string) {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return -1, signalName(status.Signal())
	}
	return cmd.ProcessState.ExitCode(), ""
}

func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGSEGV:
		return "SIGSEGV"
	case syscall.SIGABRT:
		return "SIGABRT"
	case syscall.SIGXCPU:
		return "SIGXCPU"
	}
	return s.String()
}

// ear keeps the head of a stream and counts the rest.
type ear struct {
	mu    sync.Mutex
	kept  []byte
	bytes int64
}

func (e *ear) listen(r io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		e.mu.Lock()
		e.bytes += int64(n)
		e.kept = append(e.kept, buf[:min(n, keepBytes-len(e.kept))]...)
		full := e.bytes > countBytes
		e.mu.Unlock()
		if err != nil || full {
			return
		}
	}
}

func (e *ear) into(text *[]byte, bytes *int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	*text = append(*text, e.kept...)
	*bytes += e.bytes
}

var errBlocked = errors.New("blocked")

package environment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// command is one run of an outside client. Its output goes to Line, line by
// line, and the tail of its complaints into the error.
type command struct {
	Path string
	Args []string // without the program's name
	Env  []string
	Dir  string
	Line func(string) // standard output; nil = dropped
	Out  io.Writer    // standard output as it is; set instead of Line
}

// complaintBytes is how much of a client's standard error is kept.
const complaintBytes = 16 << 10

// run starts the command in a process group of its own and waits. When ctx
// ends the whole group is killed.
func (c command) run(ctx context.Context) error {
	// The kernel sends Pdeathsig when the starting thread ends, not the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	complaint := &tail{limit: complaintBytes}
	cmd.Stderr = complaint
	switch {
	case c.Out != nil:
		cmd.Stdout = c.Out
	case c.Line != nil:
		cmd.Stdout = &lines{each: c.Line}
	}
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return &clientError{cause: err, complaint: complaint.String()}
	}
	return nil
}

// clientError is a client that failed, with what it said.
type clientError struct {
	cause     error
	complaint string
}

func (e *clientError) Unwrap() error { return e.cause }

// Error gives the last lines of the complaint, where clients put the reason.
func (e *clientError) Error() string {
	var kept []string
	for line := range strings.Lines(e.complaint) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "W:") {
			kept = append(kept, line)
		}
	}
	if len(kept) > 3 {
		kept = kept[len(kept)-3:]
	}
	if len(kept) == 0 {
		return e.cause.Error()
	}
	return fmt.Sprintf("%v: %s", e.cause, strings.Join(kept, " | "))
}

// said reports whether err is a client's failure whose complaint contains
// words.
func said(err error, words string) bool {
	var c *clientError
	return errors.As(err, &c) && strings.Contains(c.complaint, words)
}

// tail keeps the last limit bytes written.
type tail struct {
	limit int
	buf   []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.limit; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.buf) }

// lines calls each for every complete line written.
type lines struct {
	each func(string)
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		l.each(string(line))
		l.rest = rest
	}
}

// passEnv returns the host's variables that configure a client: those whose
// name starts with one of prefixes, and what every client reads for proxies,
// certificates and its home.
func passEnv(prefixes ...string) []string {
	prefixes = append(prefixes, "HTTP_PROXY=", "HTTPS_PROXY=", "ALL_PROXY=", "NO_PROXY=",
		"http_proxy=", "https_proxy=", "all_proxy=", "no_proxy=",
		"SSL_CERT_FILE=", "SSL_CERT_DIR=", "REQUESTS_CA_BUNDLE=", "CURL_CA_BUNDLE=",
		"HOME=", "XDG_CONFIG_HOME=", "XDG_CONFIG_DIRS=", "NETRC=")
	env := []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"}
	for _, kv := range os.Environ() {
		for _, p := range prefixes {
			if strings.HasPrefix(kv, p) {
				env = append(env, kv)
				break
			}
		}
	}
	return env
}

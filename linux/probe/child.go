package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// What a child is asked to try.
const (
	verbPrivileged = "privileged"
	verbNamespace  = "namespace" // and the name of a file in /proc/self/ns
	verbTime       = "time"
	verbTmpfs      = "tmpfs"
	verbProc       = "proc"
	verbFilter     = "filter"
	verbNotify     = "notify"
	verbMap        = "map" // waits for the end of its input first
)

var errNoSelf = fmt.Errorf("run child: %w: no command of its own was given", errPassing)

// report is the line that a child writes.
type report struct {
	Detail string `json:"detail,omitempty"`
	Error  string `json:"error,omitempty"`
	Errno  int    `json:"errno,omitempty"`
}

// Child is the body of the hidden verb that Options.Self names: args are what
// follows it. It tries one thing, writes one line to standard output, and returns
// the exit status. It changes the process: the caller exits afterwards.
func Child(args []string) int {
	var r report
	detail, err := tryInside(args)
	if err != nil {
		r.Error = err.Error()
		var errno syscall.Errno
		if errors.As(err, &errno) {
			r.Errno = int(errno)
		}
	} else {
		r.Detail = detail
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return 1
	}
	return 0
}

func tryInside(args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("probe in child: nothing was asked")
	}
	switch args[0] {
	case verbPrivileged:
		return privileged()
	case verbNamespace:
		if len(args) == 2 {
			return os.Readlink("/proc/self/ns/" + args[1])
		}
	case verbTime:
		return timeNamespace()
	case verbTmpfs:
		return mountTmpfs()
	case verbProc:
		return mountProc()
	case verbFilter:
		return filter()
	case verbNotify:
		return notify()
	case verbMap:
		return idMap()
	}
	return "", fmt.Errorf("probe in child: %q is unknown", args)
}

// command prepares a child in new namespaces, as root of a user namespace that
// maps only us when there is one.
func command(ctx context.Context, opts Options, flags uintptr, args ...string) *exec.Cmd {
	argv := append(append([]string(nil), opts.Self...), args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags, Pdeathsig: syscall.SIGKILL}
	if flags&unix.CLONE_NEWUSER != 0 {
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	return cmd
}

// inChild is the attempt to do what verb says in a child.
func inChild(verb string, flags uintptr, args ...string) func(context.Context, Options) (string, error) {
	return func(ctx context.Context, opts Options) (string, error) {
		if len(opts.Self) == 0 {
			return "", errNoSelf
		}
		ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
		var out bytes.Buffer
		cmd := command(ctx, opts, flags, append([]string{verb}, args...)...)
		cmd.Stdout = &out
		err := cmd.Run()
		return verdict(ctx, &out, err)
	}
}

// verdict reads a child's report, which counts more than how it ended. A child
// that could not be started with its namespaces is an answer of the host.
func verdict(ctx context.Context, out io.Reader, runErr error) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("run child: %w", err)
	}
	var r report
	if err := json.NewDecoder(io.LimitReader(out, 64<<10)).Decode(&r); err != nil {
		var exit *exec.ExitError
		if runErr == nil || errors.As(runErr, &exit) {
			return "", fmt.Errorf("run child: %w: no report: %w", errPassing, runErr)
		}
		return "", fmt.Errorf("start child: %w", runErr)
	}
	switch {
	case r.Errno != 0:
		return "", &childError{text: r.Error, errno: syscall.Errno(r.Errno)}
	case r.Error != "":
		return "", errors.New(r.Error)
	}
	return r.Detail, nil
}

// childError is an error that happened in a child, with its number.
type childError struct {
	text  string
	errno syscall.Errno
}

func (e *childError) Error() string { return e.text }
func (e *childError) Unwrap() error { return e.errno }

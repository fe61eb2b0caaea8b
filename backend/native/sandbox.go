package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/linux/fdpass"
	"github.com/cellwall/cellwall/linux/keep"
	"github.com/cellwall/cellwall/linux/openat"
	"github.com/cellwall/cellwall/linux/pidfd"
	"github.com/cellwall/cellwall/linux/seccomp"
)

// endTimeout is how long the kernel may take to end every process of a sandbox
// after SIGKILL: milliseconds, unless a device holds one of them or its warden
// does not bury them.
const endTimeout = 30 * time.Second

// sandbox is one opened sandbox, as the controller holds it.
type sandbox struct {
	backend  *Backend
	stem     *stem
	opened   opened
	agent    *pidfd.Process
	group    *cgroup.Group // nil where there is no controller
	listener *seccomp.Listener
	gate     *gate // before what could reach a session's snapshots; nil for a sandbox of one run
	channel  *net.UnixConn
	speaker  int // of hello, for a session: a process as this one counts
	stdout   *os.File
	stderr   *os.File
	boundary cellwall.Boundary
	limits   cellwall.Limits
	inputs   []string

	idle       cgroup.Usage // before its first run
	inputBytes int64        // of all inputs
	exports    bool         // its one run writes a template
	templated  bool         // it came from one, and has that one's inputs

	files *keep.Store // of a session that takes checkpoints

	used   atomic.Bool
	output *openat.Dir
	closed sync.Once
}

// Boundary implements cellwall.Sandbox.
func (s *sandbox) Boundary() cellwall.Boundary { return s.boundary }

// Alive reports whether the sandbox can still be handed out.
func (s *sandbox) Alive() bool { return !s.agent.Ended() && !s.exited() }

// unreached says of an error that kept the code out whether the sandbox is to
// blame, or its end.
func (s *sandbox) unreached(err error) error {
	if err == nil || s.Alive() {
		return err
	}
	return fmt.Errorf("%w: %w", cellwall.ErrSandboxGone, err)
}

func (s *sandbox) exited() bool {
	select {
	case <-s.opened.exit.told:
		return true
	case <-s.stem.gone:
		return true
	default:
		return false
	}
}

// Bind implements cellwall.Sandbox. The sizes of the workspace were fixed when
// it was opened: another size is CodeConflict.
func (s *sandbox) Bind(_ context.Context, claim cellwall.Claim) error {
	l := claim.Limits.WithDefaults()
	if l.WorkspaceBytes != s.limits.WorkspaceBytes || l.WorkspaceInodes != s.limits.WorkspaceInodes ||
		l.TmpBytes != s.limits.TmpBytes || l.TmpInodes != s.limits.TmpInodes {
		return &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "bind sandbox",
			Err: errors.New("it was opened with another size of workspace"),
		}
	}
	if l.MemoryBytes > s.limits.MemoryBytes || l.CPUs > s.limits.CPUs || l.Processes > s.limits.Processes ||
		l.InputBytes > s.limits.InputBytes {
		return &cellwall.Error{Code: cellwall.CodeConflict, Op: "bind sandbox", Err: errors.New("limits may only narrow")}
	}
	if s.group != nil && (l.MemoryBytes != s.limits.MemoryBytes || l.CPUs != s.limits.CPUs || l.Processes != s.limits.Processes) {
		if err := s.group.SetLimits(s.backend.groupLimits(l)); err != nil {
			return fmt.Errorf("narrow limits: %w", err)
		}
	}
	s.limits = l
	return s.unreached(s.addInputs(claim.Inputs))
}

// addInputs has the warden copy files into the sandbox's input directory.
func (s *sandbox) addInputs(inputs []cellwall.Input) error {
	if len(inputs) > 0 && s.templated {
		return errTemplateInputs("bind sandbox")
	}
	if len(s.inputs)+len(inputs) > cellwall.MaxInputs {
		return &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "pass inputs", Err: fmt.Errorf("they are more than %d", cellwall.MaxInputs),
		}
	}
	for _, input := range inputs {
		if input.Size < 0 || input.Size > s.limits.InputBytes-s.inputBytes {
			return &cellwall.Error{
				Code: cellwall.CodeTooLarge, Op: "pass input " + input.Name,
				Err: fmt.Errorf("%d bytes are more than what is left of %d", input.Size, s.limits.InputBytes),
			}
		}
		fd, err := fdpass.Duplicate(input.FD)
		if err != nil {
			return fmt.Errorf("pass input %s: %w", input.Name, err)
		}
		file := os.NewFile(uintptr(fd), input.Name)
		err = s.stem.input(s.opened.id, input.Name, input.Size, file)
		file.Close()
		if err != nil {
			return fmt.Errorf("pass input %s: %w", input.Name, err)
		}
		s.inputs, s.inputBytes = append(s.inputs, input.Name), s.inputBytes+input.Size
	}
	return nil
}

// end kills process 1 and returns when the kernel has ended and reaped every
// process of the sandbox. When that takes too long the warden is given up, and
// with it all that it holds: nobody may wait for a broken one for ever.
func (s *sandbox) end() error {
	if s.agent == nil {
		return nil
	}
	if err := s.agent.Kill(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.backend.endTimeout)
	defer cancel()
	if err := s.agent.Wait(ctx); err != nil {
		s.stem.giveUp()
		return fmt.Errorf("end sandbox: processes are left after SIGKILL: %w", err)
	}
	return nil
}

// quietPatience is how long the filter's own word is waited for before that of
// process 1: a kernel before 6.11 gives both at the same time.
const quietPatience = 100 * time.Millisecond

// quiet kills process 1 and returns when no process of the sandbox can run an
// instruction of its own any more. Every one of them is under the filter, and
// the kernel says when the last task under it has begun to exit for good; what
// it does after that – 2 ms of giving memory back – nobody has to wait for.
func (s *sandbox) quiet() error {
	if s.agent == nil || s.listener == nil {
		return s.end()
	}
	if err := s.agent.Kill(); err != nil {
		return err
	}
	patience := time.NewTimer(quietPatience)
	defer patience.Stop()
	select {
	case <-s.listener.Gone():
		return nil
	case <-patience.C:
		return s.end()
	}
}

// Harvest implements cellwall.Sandbox.
func (s *sandbox) Harvest(context.Context) (fs.FS, error) {
	s.used.Store(true)
	if err := s.quiet(); err != nil {
		return nil, err
	}
	if s.output == nil {
		s.output = openat.FS(int(s.opened.output.Fd()))
	}
	return s.output, nil
}

// Close ends the sandbox and lets go of everything it had.
func (s *sandbox) Close() error {
	var err error
	s.closed.Do(func() { err = s.release() })
	return err
}

func (s *sandbox) release() error {
	err := s.end()
	if s.agent != nil {
		s.agent.Close()
	}
	if s.listener != nil {
		err = errors.Join(err, s.listener.Close())
	}
	if s.channel != nil {
		s.channel.Close()
	}
	if s.output != nil {
		err = errors.Join(err, s.output.Close())
	}
	closeAll([]*os.File{s.stdout, s.stderr, s.opened.output, s.opened.hidden, s.opened.scratch})
	if s.agent == nil {
		closeAll([]*os.File{s.opened.agent})
	}
	if s.opened.id != 0 {
		s.awaitExit()
	}
	if s.group != nil {
		ctx, cancel := context.WithTimeout(context.Background(), s.backend.endTimeout)
		defer cancel()
		if s.agent == nil {
			err = errors.Join(err, s.group.Kill(ctx))
		}
		err = errors.Join(err, s.group.Remove(ctx))
	}
	s.backend.closeSpent()
	return err
}

// awaitExit waits until the warden has let go of its share as well. One that
// does not is given up.
func (s *sandbox) awaitExit() {
	patience := time.AfterFunc(s.backend.endTimeout, s.stem.giveUp)
	defer patience.Stop()
	select {
	case <-s.opened.exit.told:
	case <-s.stem.gone:
	}
}

package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/linux/fdpass"
	"github.com/cellwall/cellwall/linux/pidfd"
)

// helloTimeout bounds what a child does before it says hello: about 5 ms.
const helloTimeout = 20 * time.Second

// Open implements cellwall.Backend.
func (b *Backend) Open(ctx context.Context, spec cellwall.Spec) (cellwall.Sandbox, error) {
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	if err := checkTemplate(spec); err != nil {
		return nil, err
	}
	spec.Limits = spec.Limits.WithDefaults()
	if err := spec.Limits.Validate(); err != nil {
		return nil, err
	}
	degraded, err := b.protections(spec)
	if err != nil {
		return nil, err
	}
	s, err := b.open(ctx, spec, degraded)
	if errors.Is(err, errStemGone) {
		// The stem grew old or died after it was chosen, and nothing of anybody's
		// ran in it: a young one serves as well. Its failure is the answer.
		s, err = b.open(ctx, spec, degraded)
	}
	if err != nil {
		return nil, err
	}
	if spec.Session {
		return openSession(s)
	}
	return s, nil
}

// open makes a sandbox of the stem that serves the environment now.
func (b *Backend) open(ctx context.Context, spec cellwall.Spec, degraded []string) (*sandbox, error) {
	st, err := b.stemOf(ctx, spec)
	if err != nil {
		return nil, err
	}
	if spec.Ahead {
		if err := st.awaitSettled(ctx); err != nil {
			return nil, err
		}
	}
	b.opening <- struct{}{}
	defer func() { <-b.opening }()
	s := &sandbox{
		backend: b, stem: st, limits: spec.Limits, templated: spec.Template != "",
		boundary: cellwall.Boundary{
			Backend: Name, Environment: spec.Environment.Ref(), Network: "none", Degraded: degraded,
		},
	}
	if err := s.build(ctx, spec); err != nil {
		return nil, errors.Join(fmt.Errorf("open sandbox: %w", err), s.Close())
	}
	if len(spec.Inputs) > 0 {
		if err := s.addInputs(spec.Inputs); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// takeUID returns the number, inside the warden's user namespace, of the user
// that the next sandbox runs as. All stems of this controller share one range
// outside, so they share one count: numbers come round after 64,000 sandboxes.
func (b *Backend) takeUID() int {
	switch {
	case !b.manyUIDs:
		return 0
	case without(ownUser):
		return firstUID
	}
	return firstUID + int(b.nextUID.Add(1)%(lastUID-firstUID))
}

// Warm returns when the next Open with spec's environment need not start a
// zygote. It refuses what Open would refuse.
func (b *Backend) Warm(ctx context.Context, spec cellwall.Spec) error {
	if err := checkSpec(spec); err != nil {
		return err
	}
	if _, err := b.protections(spec); err != nil {
		return err
	}
	_, err := b.stemOf(ctx, spec)
	return err
}

// protections names what this host cannot give, or refuses.
func (b *Backend) protections(spec cellwall.Spec) ([]string, error) {
	degraded := []string{}
	var hints []string
	for _, p := range b.waivable() {
		if p.State != cellwall.Enforced {
			degraded = append(degraded, p.Name)
			if !slices.Contains(hints, p.Hint) {
				hints = append(hints, p.Hint)
			}
		}
	}
	if len(degraded) == 0 || spec.AllowDegraded {
		if weakness() != "" { // asked for, so it needs no leave, and is named none the less
			degraded = append(degraded, weakness())
		}
		return degraded, nil
	}
	return nil, missing("open sandbox", fmt.Errorf("this host cannot enforce %s", strings.Join(degraded, ", ")),
		strings.Join(append(hints, "or run with --allow-degraded, which every result will say"), "; "))
}

// build makes the group, the wall and the interpreter, and hears its hello.
func (s *sandbox) build(ctx context.Context, spec cellwall.Spec) error {
	files, theirs, err := s.plumb(spec.Session)
	defer closeAll(theirs)
	if err != nil {
		return err
	}
	if spec.Ahead && s.group != nil {
		defer s.backend.veterans.behindRuns(s.group)()
	}
	request := openRequest{
		UID:            s.backend.takeUID(),
		WorkspaceBytes: spec.Limits.WorkspaceBytes, WorkspaceInodes: spec.Limits.WorkspaceInodes,
		TmpBytes: spec.Limits.TmpBytes, TmpInodes: spec.Limits.TmpInodes,
		InputBytes: spec.Limits.InputBytes,
		Ahead:      spec.Ahead, Session: spec.Session,
		CheckpointBytes: spec.Limits.CheckpointBytes, Checkpoints: spec.Limits.Checkpoints,
		Into: s.backend.hierarchy.Version == cgroup.V2 && s.group != nil,
	}
	o, err := s.stem.open(request, files)
	if err != nil {
		return err
	}
	s.opened = o
	if err := s.hold(o.agent); err != nil {
		return errors.Join(err, pidfd.KillHeld(o.agent)) // else nobody could end it any more
	}
	closeAll(theirs) // before hello: only the sandbox may hold the other ends
	if err := s.hello(ctx, spec.Session); err != nil {
		return err
	}
	return s.openCounters()
}

// hold keeps the agent by a descriptor that can be waited for.
func (s *sandbox) hold(agent *os.File) error {
	fd, err := duplicate(agent)
	if err != nil {
		return err
	}
	if s.agent, err = pidfd.New(fd); err != nil {
		return err
	}
	return agent.Close()
}

// plumb makes the control group and the three ways out of the sandbox. files
// are what the warden gets; theirs are those of them to close afterwards.
func (s *sandbox) plumb(session bool) (files, theirs []*os.File, err error) {
	var joins []*os.File
	if s.backend.groups != nil {
		if s.group, joins, err = s.backend.newGroup(s.limits); err != nil {
			return nil, nil, err
		}
	}
	var channel, stdout, stderr *os.File
	if s.channel, channel, err = fdpass.Pair(); err != nil {
		return nil, joins, err
	}
	theirs = append(joins, channel)
	if session {
		if err := fdpass.PassCredentials(s.channel); err != nil {
			return nil, theirs, err
		}
	}
	if s.stdout, stdout, err = os.Pipe(); err != nil {
		return nil, theirs, err
	}
	theirs = append(theirs, stdout)
	if s.stderr, stderr, err = os.Pipe(); err != nil {
		return nil, theirs, err
	}
	theirs = append(theirs, stderr)
	return append([]*os.File{channel, stdout, stderr}, joins...), theirs, nil
}

// newGroup makes a group with the limits that this host can enforce, and opens
// what a child joins it by.
func (b *Backend) newGroup(l cellwall.Limits) (*cgroup.Group, []*os.File, error) {
	group, err := b.groups.New(b.groupName(), b.groupLimits(l))
	if err != nil {
		return nil, nil, err
	}
	if b.hierarchy.Version == cgroup.V2 {
		fd, err := group.FD()
		if err != nil {
			return group, nil, err
		}
		file, err := duplicateFD(fd, "group")
		return group, []*os.File{file}, err
	}
	joins, err := group.JoinFiles()
	return group, joins, err
}

// groupLimits leaves out what has no controller: Open has refused by then, or
// the caller allowed it.
func (b *Backend) groupLimits(l cellwall.Limits) cgroup.Limits {
	var g cgroup.Limits
	if b.hierarchy.Controller(cgroup.Memory).OK && !without(memoryGroup) {
		g.MemoryBytes = l.MemoryBytes
	}
	if b.hierarchy.Controller(cgroup.PIDs).OK && !without(pidsGroup) {
		g.Processes = l.Processes
	}
	if b.hierarchy.Controller(cgroup.CPU).OK {
		g.CPUs = l.CPUs
	}
	return g
}

// hello waits until the wall stands and takes the listener of its filter.
func (s *sandbox) hello(ctx context.Context, session bool) error {
	_ = s.channel.SetReadDeadline(time.Now().Add(s.backend.helloTimeout))
	stop := context.AfterFunc(ctx, func() { _ = s.channel.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	reader := fdpass.NewReader(s.channel)
	kind, payload, err := guest.NewReader(reader).Next()
	if err != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("wait for hello: %w: %s", err, s.lastWords()))
	}
	if kind == guest.KindSetupFailed {
		var failed guest.SetupFailed
		if err := guest.Decode(payload, &failed); err != nil {
			return err
		}
		return missing("build wall", fmt.Errorf("%s: %s", failed.Step, failed.Text), "see cellwall doctor")
	}
	var hello guest.Hello
	if err := guest.Decode(payload, &hello); err != nil {
		return err
	}
	if kind != guest.KindHello || hello.Protocol != guest.Protocol {
		return fmt.Errorf("%w: frame %q of protocol %d", guest.ErrProtocol, byte(kind), hello.Protocol)
	}
	_ = s.channel.SetReadDeadline(time.Time{})
	s.speaker, _ = reader.Peer()
	return s.supervise(reader, session)
}

func (s *sandbox) supervise(reader *fdpass.Reader, session bool) error {
	files := reader.Take()
	defer closeAll(files)
	if len(files) != 1 {
		return fmt.Errorf("%w: hello came with %d descriptors", guest.ErrProtocol, len(files))
	}
	fd, err := duplicate(files[0])
	if err != nil {
		return err
	}
	if session {
		s.listener, s.gate, err = s.backend.guard(fd, s.group)
	} else {
		s.listener, err = s.backend.supervisor.Add(fd)
	}
	return err
}

// lastWords ends a sandbox that failed before hello, when all that ran in it was
// ours, and returns the end of what it wrote to standard error.
func (s *sandbox) lastWords() string {
	if err := s.end(); err != nil {
		return err.Error()
	}
	words, err := io.ReadAll(io.LimitReader(s.stderr, 4096))
	if err != nil {
		return err.Error()
	}
	s.awaitExit()
	exit := s.opened.exit.event
	return strings.TrimSpace(fmt.Sprintf("exit %d, signal %d: %s", exit.Code, exit.Signal, words))
}

package backendtest

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
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/pentest"
)

// outerCells makes outer cells; its instance of control groups is theirs.
type outerCells struct {
	env     cellwall.Environment
	inst    *cgroup.Instance
	host    *pentest.Canary
	unshown []string // rows whose attack this host did not show
}

// newOuterCells needs control groups, see outerGroups; they last as long as
// owner.
func newOuterCells(t, owner *testing.T, env cellwall.Environment, host *pentest.Canary) *outerCells {
	t.Helper()
	return &outerCells{env: env, inst: outerGroups(t, owner), host: host}
}

// run shows a case's attack in a new outer cell.
func (o *outerCells) run(t *testing.T, c abuse.Case) (abuse.Exhibit, error) {
	t.Helper()
	spec := o.spec(c, t.TempDir())
	limits := cgroup.Limits{MemoryBytes: c.Control.MemoryBytes, Processes: c.Control.Processes}
	if limits.MemoryBytes == 0 {
		limits.MemoryBytes = 768 * cellwall.MiB
	}
	if limits.Processes == 0 {
		limits.Processes = 512
	}
	g, err := o.inst.New(c.ID, limits)
	if err != nil {
		return abuse.Exhibit{}, err
	}
	report, err := o.start(t.Context(), g, spec)
	err = errors.Join(err, g.Kill(context.Background()), g.Remove(context.Background()))
	if err == nil && report.Failure != "" {
		err = errors.New(report.Failure)
	}
	x := report.Exhibit
	x.Stdout, x.Stderr = string(report.Stdout), string(report.Stderr)
	x.World.Token = o.host.Token
	return x, err
}

// spec says what the outer cell is to be. The kernel refuses a layer above "/"
// in a user namespace, for the mounts that are locked below it there.
func (o *outerCells) spec(c abuse.Case, scratch string) cellSpec {
	spec := cellSpec{
		Root: o.env.Root, Interpreter: o.env.Interpreter, Scratch: scratch,
		Mapped: os.Geteuid() != 0 || !c.Control.Privileged && o.env.Root != "/",
		Attack: c.Attack.File, Harness: c.Control.Harness, Inputs: c.Attack.Inputs,
		Limits: pentest.Target{Scale: testkit.Scale}.Limits(c.Attack.Limits).WithDefaults(),
		Runs:   max(c.Runs, 1), Timeout: 20 * time.Second,
		World: pentest.Where{
			Dir: o.host.Dir, Address: "0.0.0.0", TCP: o.host.TCP, UDP: o.host.UDP,
			Abstract: o.host.Abstract, Token: o.host.Token,
		},
	}
	if c.Attack.Text != nil {
		spec.Bare = []byte(c.Attack.Text(o.host.World))
	}
	if c.Control.Runs > 0 {
		spec.Runs = c.Control.Runs
	}
	if c.Control.Timeout > 0 {
		spec.Timeout = c.Control.Timeout
	}
	spec.Timeout = testkit.Scale(spec.Timeout)
	return spec
}

func (o *outerCells) start(ctx context.Context, g *cgroup.Group, spec cellSpec) (cellReport, error) {
	var report cellReport
	ctx, cancel := context.WithTimeout(ctx, time.Duration(spec.Runs)*spec.Timeout+testkit.Scale(30*time.Second))
	defer cancel()
	input, err := json.Marshal(spec)
	if err != nil {
		return report, fmt.Errorf("write outer cell: %w", err)
	}
	answer, hand, err := os.Pipe()
	if err != nil {
		return report, fmt.Errorf("start outer cell: %w", err)
	}
	defer answer.Close()
	cmd := exec.CommandContext(ctx, itself()[0], itself()[1:]...)
	cmd.Env = []string{cellVariable + "=1", testkit.SlowVariable + "=" + os.Getenv(testkit.SlowVariable)}
	cmd.Stdin = bytes.NewReader(input)
	var noise bytes.Buffer
	cmd.Stdout, cmd.Stderr = &noise, &noise
	leash, held, err := os.Pipe() // ends the cell with this process
	if err != nil {
		return report, errors.Join(fmt.Errorf("start outer cell: %w", err), hand.Close())
	}
	defer held.Close()
	cmd.ExtraFiles = []*os.File{hand, leash}
	cmd.WaitDelay = 5 * time.Second
	cmd.SysProcAttr = namespaces(spec.Mapped)
	err = inside(g, cmd)
	hand.Close()
	leash.Close()
	if err != nil {
		return report, fmt.Errorf("start outer cell: %w", err)
	}
	failed := json.NewDecoder(io.LimitReader(answer, 64<<20)).Decode(&report)
	err = cmd.Wait()
	if failed != nil {
		return report, fmt.Errorf("outer cell gave no report (%w); it ended with %w and said %q", failed, err, noise.String())
	}
	return report, nil
}

// inside starts cmd as a member of the group from its birth.
func inside(g *cgroup.Group, cmd *exec.Cmd) error {
	fd, err := g.FD()
	if errors.Is(err, errors.ErrUnsupported) {
		return g.Inside(cmd.Start)
	}
	if err != nil {
		return err
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, fd
	return cmd.Start()
}

// namespaces gives the child its own of everything. Root keeps its ids, so that
// the environment's files stay its own; what they would allow beyond the outer
// cell (writing below /proc/sys) is covered read-only inside.
func namespaces(mapped bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
			syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		Setsid: true,
	}
	if !mapped {
		return attr
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	size := 65536
	if os.Geteuid() != 0 {
		size = 1
	}
	attr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: size}}
	attr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: size}}
	attr.GidMappingsEnableSetgroups = os.Geteuid() == 0
	return attr
}

package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/mount"
	"github.com/cellwall/cellwall/linux/ns"
)

// Numbers inside the warden's user namespace.
const (
	firstUID  = 1000   // of sandboxes
	lastUID   = 65_000 // then they begin again; the pool is far smaller
	nobodyUID = 65_534 // of agents, where there are users to choose from
)

// wall is what the warden holds of one sandbox: file systems in memory, the
// agent that keeps the namespaces, and the mount namespace. Without a holder
// outside, the last process to leave would take the mounts apart before it is
// seen as dead: 2 ms that somebody waits for.
type wall struct {
	uid                    int
	output, input, scratch *os.File
	hidden                 *os.File // root of what holds output, of a session
	agentID                int      // as the warden counts
	agent                  *os.File // pidfd
	mounts                 *os.File // namespace
}

func (w *wall) close() {
	closeAll([]*os.File{w.output, w.hidden, w.input, w.scratch, w.agent, w.mounts})
}

// open builds a wall and forks an interpreter into it. fds are the interpreter's
// channel, stdout and stderr, then the control group. What it returns is for
// the controller to hold.
func (w *warden) open(request openRequest, fds []*os.File) (parts []*os.File, err error) {
	if len(fds) < 3 {
		return nil, fmt.Errorf("open sandbox: %d descriptors", len(fds))
	}
	built := &wall{uid: request.UID}
	if err := w.builders.do(func() error { return w.build(request, built) }); err != nil {
		built.close() // an agent is the last that build starts
		return nil, err
	}
	held := []*os.File{built.agent, built.output, built.scratch}
	if built.hidden != nil {
		held = append(held, built.hidden)
	}
	if parts, err = duplicates(held...); err != nil {
		return nil, errors.Join(err, w.abandon(built))
	}
	w.mu.Lock()
	w.walls[request.ID] = built
	w.mu.Unlock()
	if err := w.fork(request, built, fds); err != nil {
		closeAll(parts) // the last holder of the agent's pidfd is built
		w.mu.Lock()
		delete(w.walls, request.ID)
		w.mu.Unlock()
		return nil, errors.Join(err, w.abandon(built))
	}
	return parts, nil
}

// build runs on a builder's thread and leaves the namespaces with the agent.
func (w *warden) build(request openRequest, built *wall) (err error) {
	if err := ns.Unshare(ns.Mount | ns.IPC | ns.UTS); err != nil {
		return err
	}
	network, err := w.takeNetwork()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			network.Close()
		}
	}()
	if err := ns.SetHostname("cellwall"); err != nil {
		return err
	}
	if built.mounts, err = os.Open("/proc/thread-self/ns/mnt"); err != nil {
		return err
	}
	if err := buildWorkspace(request, built); err != nil {
		return err
	}
	if err := buildScratch(request, built); err != nil {
		return err
	}
	if w.start.Template {
		err = w.showInputs(request, built)
	} else {
		err = buildInput(request, built)
	}
	if err != nil {
		return err
	}
	if err := startAgent(built, w.start.ManyUIDs); err != nil {
		return err
	}
	w.lend(built.agentID, built.agent, network)
	return nil
}

// buildWorkspace mounts the output directory.
func buildWorkspace(request openRequest, built *wall) (err error) {
	if request.Session {
		return buildKept(request, built)
	}
	if built.output, err = mount.Tmpfs(mount.TmpfsOptions{
		Bytes: request.WorkspaceBytes, Inodes: request.WorkspaceInodes, Mode: 0o755, UID: built.uid, GID: built.uid,
	}); err != nil {
		return err
	}
	return mount.Attach(built.output, workspaceDir)
}

// buildKept mounts the output directory of a session beside a hidden one on the
// same file system, for checkpoints of its files: there is room for both. Its own
// root is passed by the warden's user alone and stays mounted below, where no
// path leads.
func buildKept(request openRequest, built *wall) (err error) {
	if built.hidden, err = mount.Tmpfs(mount.TmpfsOptions{
		Bytes: request.WorkspaceBytes + request.CheckpointBytes, Inodes: keptInodes(request), Mode: 0o700, AccessTimes: true,
	}); err != nil {
		return err
	}
	if err := mount.Attach(built.hidden, workspaceDir); err != nil {
		return err
	}
	for name, mode := range map[string]uint32{workDir: 0o755, keepDir: 0o700} {
		if err := mount.Mkdir(built.hidden, name, mode, built.uid); err != nil {
			return err
		}
	}
	if built.output, err = mount.Below(built.hidden, workDir); err != nil {
		return err
	}
	return mount.Attach(built.output, workspaceDir)
}

// keptInodes leaves room for a second link of every file, a file of copies for
// every checkpoint, and what is being moved.
func keptInodes(request openRequest) int64 {
	return 2*request.WorkspaceInodes + int64(request.Checkpoints) + 64
}

// buildScratch mounts one limited file system as /tmp and /dev/shm. Its own root
// stays mounted below /tmp, where no path leads: see mount.Below.
func buildScratch(request openRequest, built *wall) (err error) {
	if built.scratch, err = mount.Tmpfs(mount.TmpfsOptions{
		Bytes: request.TmpBytes, Inodes: request.TmpInodes, Mode: 0o755,
	}); err != nil {
		return err
	}
	if err := mount.Attach(built.scratch, "/tmp"); err != nil {
		return err
	}
	for _, dir := range [...]struct{ name, path string }{{"tmp", "/tmp"}, {"shm", "/dev/shm"}} {
		if err := mount.Mkdir(built.scratch, dir.name, 0o777|syscall.S_ISVTX, 0); err != nil {
			return err
		}
		tree, err := mount.Below(built.scratch, dir.name)
		if err != nil {
			return err
		}
		if dir.name == "tmp" {
			err = furnishTmp(tree, built.uid)
		}
		err = errors.Join(err, mount.Attach(tree, dir.path))
		tree.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// furnishTmp gives matplotlib the writable directory that it insists on, with
// links to the environment's configuration and font cache.
func furnishTmp(tmp *os.File, uid int) error {
	if err := mount.Mkdir(tmp, matplotlibDir, 0o755, uid); err != nil {
		return err
	}
	files, err := os.ReadDir(matplotlibSource)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // an environment without charts
	}
	for _, f := range files {
		if err := mount.Symlink(tmp, matplotlibSource+"/"+f.Name(), matplotlibDir+"/"+f.Name()); err != nil {
			return err
		}
	}
	return err
}

// buildInput mounts a read-only view of a limited file system that only the
// warden writes, through a mount that is attached nowhere. A copy, not a bind of
// the original: no inode is shared with another sandbox or the host, so no lock
// and no watch on it is either.
func buildInput(request openRequest, built *wall) error {
	view, err := mount.Tmpfs(mount.TmpfsOptions{
		// Each file ends in a page of its own, and the directory is an inode too.
		Bytes:  request.InputBytes + cellwall.MaxInputs*int64(os.Getpagesize()),
		Inodes: cellwall.MaxInputs + 1, Mode: 0o755,
	})
	if err != nil {
		return err
	}
	defer view.Close()
	if err := mount.Attach(view, inputDir); err != nil {
		return err
	}
	if built.input, err = mount.CloneOf(view); err != nil {
		return err
	}
	return mount.SetAttributes(view, mount.ReadOnly|mount.NoSuid|mount.NoDev|mount.NoExec)
}

func startAgent(built *wall, manyUIDs bool) error {
	run := &syscall.Credential{NoSetGroups: true}
	if manyUIDs {
		run = &syscall.Credential{Uid: nobodyUID, Gid: nobodyUID}
	}
	pid, pidfd, err := ns.Start(ns.Process{Path: agentPath, Args: []string{"agent"}, Dir: "/", Kinds: ns.PID, Run: run})
	if err != nil {
		return err
	}
	built.agentID, built.agent = pid, os.NewFile(uintptr(pidfd), "agent")
	return nil
}

// errZygoteGone is why nothing can be forked any more.
var errZygoteGone = errors.New("the zygote has ended")

// fork has the zygote put an interpreter behind the wall.
func (w *warden) fork(request openRequest, built *wall, fds []*os.File) error {
	w.forking.Lock()
	defer w.forking.Unlock()
	w.expect(true)
	defer w.expect(false)
	files := append([]*os.File{built.agent}, fds...)
	ask := forkRequest{
		UID: built.uid, Groups: len(fds) - 3, Ahead: request.Ahead, Into: request.Into, OwnUID: w.start.ManyUIDs, Session: request.Session,
	}
	if err := w.zygote.send(msgFork, ask, files...); err != nil {
		return fmt.Errorf("%w: %w", errZygoteGone, err)
	}
	m, err := w.zygote.receive()
	if err != nil {
		return fmt.Errorf("%w: %w", errZygoteGone, err)
	}
	var reply forkReply
	if err := m.decode(&reply); err != nil {
		return err
	}
	if reply.Error != "" {
		return fmt.Errorf("fork interpreter: %s", reply.Error)
	}
	if request.Session {
		w.follow(built, request.ID)
	} else {
		w.adopt(reply.PID, request.ID)
	}
	return nil
}

// copyInput puts a copy of a file where the sandbox sees it: as much as the
// caller counted and hashed, whatever the file has grown by since.
func (w *warden) copyInput(request inputRequest, fds []*os.File) error {
	w.mu.Lock()
	built := w.walls[request.ID]
	w.mu.Unlock()
	if built == nil || len(fds) != 1 {
		return errors.New("copy input: the sandbox is gone")
	}
	return copyTo(built.input, request.Name, request.Size, fds[0])
}

package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cellwall/cellwall/linux/fdpass"
	"github.com/cellwall/cellwall/linux/mount"
	"github.com/cellwall/cellwall/linux/ns"
)

const (
	driverDir    = "/run/cellwall/driver"
	agentPath    = driverDir + "/agent"
	inputDir     = "/workspace/input"
	workspaceDir = "/workspace/output"

	matplotlibDir    = ".matplotlib"                    // below /tmp
	matplotlibSource = "/usr/share/cellwall/matplotlib" // of the environment
)

// devices are all that a sandbox has.
var devices = []string{"null", "zero", "full", "random", "urandom"}

// buildRoot makes the mount tree that every sandbox starts from, and leaves
// the host's.
func (w *warden) buildRoot() error {
	if err := mount.MakePrivate(); err != nil {
		return err
	}
	root, driver, err := w.sources()
	if err != nil {
		return err
	}
	// A place of our own to build in; /tmp exists everywhere and is not needed.
	stage, err := mount.Tmpfs(mount.TmpfsOptions{Bytes: 1 << 20, Inodes: 64, Mode: 0o700})
	if err != nil {
		return err
	}
	if err := mount.Attach(stage, "/tmp"); err != nil {
		return err
	}
	const at = "/tmp/root"
	if err := os.Mkdir(at, 0o755); err != nil {
		return err
	}
	if err := mount.Attach(root, at); err != nil {
		return err
	}
	if err := mount.Attach(driver, at+driverDir); err != nil {
		return err
	}
	if err := mount.Proc(at + "/proc"); err != nil {
		return err
	}
	if err := makeDevices(at + "/dev"); err != nil {
		return err
	}
	closeAll([]*os.File{stage, root, driver})
	if err := mount.Pivot(at); err != nil {
		return err
	}
	return zygoteScratch()
}

// zygoteScratch gives the zygote a /tmp and a /dev/shm, for imports that insist
// on them: joblib tries a semaphore once, and works in one process for good
// when there is none. Every sandbox mounts its own over both.
func zygoteScratch() error {
	for _, path := range [...]string{"/tmp", "/dev/shm"} {
		scratch, err := mount.Tmpfs(mount.TmpfsOptions{Bytes: 1 << 20, Inodes: 64, Mode: 0o755})
		if err != nil {
			return err
		}
		if path == "/tmp" {
			err = furnishTmp(scratch, 0)
		}
		if err = errors.Join(err, mount.Attach(scratch, path), scratch.Close()); err != nil {
			return err
		}
	}
	return nil
}

// sources returns root and driver as detached, read-only mounts.
func (w *warden) sources() (root, driver *os.File, err error) {
	if len(w.mounts) == 2 {
		root, driver = w.mounts[0], w.mounts[1]
	} else {
		if root, err = mount.Clone(w.start.Root); err != nil {
			return nil, nil, err
		}
		if driver, err = mount.Clone(w.start.Driver); err != nil {
			return nil, nil, err
		}
	}
	attributes := uint64(mount.ReadOnly | mount.NoSuid | mount.NoDev)
	if without(readOnlyRoot) {
		attributes &^= mount.ReadOnly
	}
	for _, tree := range []*os.File{root, driver} {
		if err := mount.SetAttributes(tree, attributes); err != nil {
			return nil, nil, err
		}
	}
	return root, driver, nil
}

// makeDevices fills dir with the few devices, bound from the host, and the
// usual links. Read-only keeps the times of the host's nodes, which everybody
// may set, out of reach; devices can be written all the same.
func makeDevices(dir string) error {
	tree, err := mount.Tmpfs(mount.TmpfsOptions{Bytes: 64 << 10, Inodes: 64, Mode: 0o755})
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := mount.Attach(tree, dir); err != nil {
		return err
	}
	for _, name := range devices {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return fmt.Errorf("make device %s: %w", name, err)
		}
		if err := mount.Bind("/dev/"+name, path, mount.ReadOnly|mount.NoSuid|mount.NoExec); err != nil {
			return err
		}
	}
	links := map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("make link %s: %w", name, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "shm"), 0o755); err != nil {
		return fmt.Errorf("make directory shm: %w", err)
	}
	return mount.Restrict(dir, mount.ReadOnly)
}

// bootstrap is the program of the zygote. -I keeps environment variables, the
// user's site directory and the working directory out; the driver is the one
// path that is added. The collector rests during the imports, which would wake
// it often and for nothing: a tenth of their time.
const bootstrap = "import gc, sys; gc.disable(); sys.path.insert(0, '" + driverDir + "'); " +
	"sys.dont_write_bytecode = True; from _cellwall import zygote; zygote.main()"

// interpreterEnv is what a sandbox's processes find in their environment.
// OpenBLAS and its kind must not start threads before a fork, and Arrow none of
// its own later. C is the one locale that an environment has: any other name
// makes locale.setlocale fail. Python itself speaks UTF-8 whatever it is.
var interpreterEnv = []string{
	"PATH=/usr/local/bin:/usr/bin", "HOME=/tmp", "USER=cellwall", "LOGNAME=cellwall", "TMPDIR=/tmp", "MPLCONFIGDIR=/tmp/" + matplotlibDir,
	"LANG=C", "LC_ALL=C", "TZ=UTC", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1",
	"JE_ARROW_MALLOC_CONF=background_thread:false", "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "NUMEXPR_NUM_THREADS=1",
}

func (w *warden) startZygote() (ready startReply, err error) {
	conn, theirs, err := fdpass.Pair()
	if err != nil {
		return ready, err
	}
	defer theirs.Close()
	settled, unsettled, err := os.Pipe()
	if err != nil {
		return ready, err
	}
	defer unsettled.Close()
	null, err := os.Open("/dev/null")
	if err != nil {
		return ready, err
	}
	defer null.Close()
	w.zygote = newWire(conn)
	pid, pidfd, err := ns.Start(ns.Process{
		Path: w.start.Interpreter, Args: []string{"python3", "-I", "-X", "utf8", "-c", bootstrap},
		Env: interpreterEnv, Dir: "/", Files: []*os.File{null, os.Stderr, os.Stderr, theirs, unsettled},
	})
	if err != nil {
		return ready, err
	}
	os.NewFile(uintptr(pidfd), "zygote").Close()
	w.zygoteID = pid
	theirs.Close()
	unsettled.Close()
	w.settled = settled
	return w.awaitZygote()
}

// awaitSettled tells the controller when the zygote has closed its end: it has
// taken every step that makes it fork better.
func (w *warden) awaitSettled() {
	defer w.settled.Close()
	_, _ = w.settled.Read(make([]byte, 1))
	_ = w.control.send(msgSettled, struct{}{})
}

func (w *warden) awaitZygote() (ready startReply, err error) {
	start := struct {
		Modules       []string `json:"modules"`
		Filter        []byte   `json:"filter"`
		SessionFilter []byte   `json:"session_filter"`
		FilterFlags   uint     `json:"filter_flags"`
		Template      bool     `json:"template"`
		Memory        int64    `json:"memory"`
		Limit         bool     `json:"limit"`
	}{w.start.Modules, w.start.Filter, w.start.SessionFilter, w.start.FilterFlags, w.start.Template, w.start.Memory, w.start.Limit}
	err = w.zygote.send(msgStart, start, w.columns...)
	closeAll(w.columns)
	if err != nil {
		return ready, fmt.Errorf("start zygote: %w", err)
	}
	m, err := w.zygote.receive()
	if err != nil {
		return ready, fmt.Errorf("warm zygote: it ended early: %w", err)
	}
	if m.kind != msgStart {
		return ready, fmt.Errorf("warm zygote: unexpected message %q", m.kind)
	}
	if err := m.decode(&ready); err != nil {
		return ready, err
	}
	if ready.Unfit {
		return ready, nil // the controller's error, with its code
	}
	if ready.Error != "" {
		return ready, fmt.Errorf("warm zygote: %s", ready.Error)
	}
	return ready, nil
}

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"
)

// The disks, and where the root is put together.
const (
	workDisk        = "/dev/vda"
	environmentDisk = "/dev/vdb"
	newRoot         = "/new"
)

// boot leaves this process in a root of its own.
func boot() error {
	for _, m := range []mountPoint{{"proc", "/proc", "proc", 0, ""}, {"devtmpfs", "/dev", "devtmpfs", 0, ""}} {
		if err := m.mount(); err != nil {
			return err
		}
	}
	if err := loadModules("/modules"); err != nil {
		return err
	}
	if err := awaitFile(environmentDisk, 30*time.Second); err != nil {
		return err
	}
	if err := buildRoot(); err != nil {
		return err
	}
	return errors.Join(enterRoot(), bringUpLoopback(), allowDescriptors())
}

// allowDescriptors lets processes open as many files as an installed system
// does: the kernel's own limit, 4096, is less than what some attacks take.
func allowDescriptors() error {
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 1024, Max: 1 << 20})
}

type mountPoint struct {
	source, target, kind string
	flags                uintptr
	data                 string
}

func (m mountPoint) mount() error {
	if err := os.MkdirAll(m.target, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount(m.source, m.target, m.kind, m.flags, m.data); err != nil {
		return fmt.Errorf("mount %s on %s: %w", m.source, m.target, err)
	}
	return nil
}

// loadModules loads what lies in dir, in the order of the names.
func loadModules(dir string) error {
	files, err := filepath.Glob(dir + "/*.ko")
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := loadModule(file); err != nil {
			return fmt.Errorf("load %s: %w", filepath.Base(file), err)
		}
	}
	return nil
}

func loadModule(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	const finitModule = 313 // x86-64
	none := [1]byte{}
	_, _, errno := syscall.Syscall(finitModule, f.Fd(), uintptr(unsafe.Pointer(&none)), 0)
	if errno != 0 && errno != syscall.EEXIST {
		return errno
	}
	return nil
}

// awaitFile waits for a device that the kernel is about to find.
func awaitFile(name string, patience time.Duration) error {
	end := time.Now().Add(patience)
	for {
		_, err := os.Stat(name)
		if err == nil || time.Now().After(end) {
			return err
		}
		<-time.After(10 * time.Millisecond)
	}
}

// buildRoot mounts everything below newRoot.
func buildRoot() error {
	const quiet = syscall.MS_NOSUID | syscall.MS_NODEV
	for _, m := range []mountPoint{
		{"tmpfs", newRoot, "tmpfs", 0, "mode=755"},
		{workDisk, newRoot + "/guest", "squashfs", syscall.MS_RDONLY, ""},
		{"proc", newRoot + "/proc", "proc", quiet | syscall.MS_NOEXEC, ""},
		{"sysfs", newRoot + "/sys", "sysfs", quiet | syscall.MS_NOEXEC, ""},
		{"cgroup2", newRoot + "/sys/fs/cgroup", "cgroup2", quiet | syscall.MS_NOEXEC, "nsdelegate"},
		{"devtmpfs", newRoot + "/dev", "devtmpfs", syscall.MS_NOSUID, ""},
		{"tmpfs", newRoot + "/dev/shm", "tmpfs", quiet, "mode=1777"},
		{"tmpfs", newRoot + "/tmp", "tmpfs", quiet, "mode=1777"},
	} {
		if err := m.mount(); err != nil {
			return err
		}
	}
	p, err := readPlan(newRoot + planFile)
	if err != nil {
		return err
	}
	for at, from := range p.Files {
		if err := copyFile(newRoot+from, newRoot+at); err != nil {
			return err
		}
	}
	if err := (mountPoint{environmentDisk, newRoot + p.Environment, "squashfs", syscall.MS_RDONLY, ""}).mount(); err != nil {
		return err
	}
	return copyFile("/init", newRoot+"/init")
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o755)
}

// enterRoot leaves the initial file system, which nobody can pivot away from.
func enterRoot() error {
	if err := os.Chdir(newRoot); err != nil {
		return err
	}
	if err := syscall.Mount(".", "/", "", syscall.MS_MOVE, ""); err != nil {
		return fmt.Errorf("move root: %w", err)
	}
	if err := syscall.Chroot("."); err != nil {
		return fmt.Errorf("enter root: %w", err)
	}
	return os.Chdir("/")
}

// bringUpLoopback gives the machine its one network.
func bringUpLoopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("bring loopback up: %w", err)
	}
	defer syscall.Close(fd)
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return fmt.Errorf("bring loopback up: %w", errno)
	}
	return nil
}

package probe

import (
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/linux/cgroup"
)

// switches are the settings by which hosts forbid user namespaces.
var switches = []struct{ file, off, rule, hint string }{
	{
		"/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces = 0",
		"sysctl user.max_user_namespaces=16384",
	},
	{
		"/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone = 0",
		"sysctl kernel.unprivileged_userns_clone=1, or run as root",
	},
	{
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns = 1",
		"install an AppArmor profile that allows userns to cellwall, or sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run as root",
	},
}

// explain names the host's rule behind a refusal, if one is known, and what a
// person can do.
func explain(name string, err error) (rule, hint string) {
	var ce *cgroup.ControllerError
	switch {
	case errors.Is(err, errNoSelf):
		return "", "set Options.Self"
	case errors.As(err, &ce):
		return ce.Reason, ce.Hint
	case errors.Is(err, errIDs):
		return "no range of ids for this user", "install newuidmap and newgidmap (package uidmap) and give this user a range in /etc/subuid and /etc/subgid, or run as root"
	case name == IDRange && errors.Is(err, unix.EPERM) && !allIDs():
		return "the user namespace around this process has no further ids", "give the container a wider range of ids"
	case name == Kernel:
		return "", "boot Linux 5.10 or newer"
	case name == Landlock && (errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP)):
		return "the kernel was built or booted without Landlock", "boot with landlock in the lsm= list; nothing depends on it alone"
	case errors.Is(err, unix.EROFS):
		return "the file system is mounted read-only", "mount it writable"
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES), errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		return explainRefusal()
	}
	return "", ""
}

// allIDs reports whether this is the first user namespace, which has every id.
func allIDs() bool {
	text, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && slices.Equal(strings.Fields(string(text)), []string{"0", "0", "4294967295"})
}

func explainRefusal() (rule, hint string) {
	for _, s := range switches {
		text, err := os.ReadFile(s.file)
		if err == nil && strings.TrimSpace(string(text)) == s.off && (s.off == "0" && strings.HasPrefix(s.file, "/proc/sys/user") || os.Geteuid() != 0) {
			return s.rule, s.hint
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err == nil && !strings.Contains(string(status), "\nSeccomp:\t0\n") {
		return "a system call filter around this process", "in a container, allow user namespaces in its seccomp profile"
	}
	return "", "a chroot, a security module or a container forbids it: see the kernel log"
}

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// BaseVariable is the environment variable with the cgroup path (as in
// /proc/self/cgroup, the same in each tree) of a group that was delegated to us.
// The value "self" means the group in which this process is.
const BaseVariable = "CELLWALL_CGROUP"

const ownGroup = "self"

// Detect finds where this process may create groups. The base is, in this order:
// what BaseVariable names, and then nothing else; as root the root of each tree;
// this process's own group. Only what is writable counts. A host without any
// usable controller is not an error: the Hierarchy says why for each.
func Detect() (Hierarchy, error) { return DetectAt(os.Getenv(BaseVariable)) }

// DetectAt is Detect with the base given; "" means none is.
func DetectAt(base string) (Hierarchy, error) {
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Hierarchy{}, fmt.Errorf("detect control groups: %w", err)
	}
	membership, err := os.ReadFile("/proc/self/cgroup")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Hierarchy{}, fmt.Errorf("detect control groups: %w", err)
	}
	return host{
		mountinfo: string(mountinfo), membership: string(membership),
		root: os.Geteuid() == 0, base: base,
	}.detect()
}

// host is what detection reads, so that tests can describe other hosts.
type host struct {
	mountinfo, membership string
	root                  bool   // effective uid 0
	base                  string // asked for, or ""
}

func (h host) detect() (Hierarchy, error) {
	if h.base != "" && h.base != ownGroup && (!path.IsAbs(h.base) || path.Clean(h.base) != h.base) {
		return Hierarchy{}, fmt.Errorf("detect control groups: %s=%q is neither a clean absolute path nor self", BaseVariable, h.base)
	}
	mounts, err := parseMountinfo(h.mountinfo)
	if err != nil {
		return Hierarchy{}, fmt.Errorf("detect control groups: %w", err)
	}
	member, err := parseMembership(h.membership)
	if err != nil {
		return Hierarchy{}, fmt.Errorf("detect control groups: %w", err)
	}
	v1 := h.detectV1(mounts, member)
	v2 := h.detectV2(mounts, member)
	if len(v2.trees) > 0 { // whatever controllers it has
		v1.freezer = &v2.trees[0]
	}
	legacy := slices.ContainsFunc(mounts, func(m mount) bool { return !m.v2 && slices.Contains(m.options, Memory) })
	switch {
	case v1.Version == None && v2.Version == None && legacy:
		return v1, nil // its reasons and hints are the ones that help
	case v1.Version == None:
		return v2, nil
	case v2.Version == None:
		return v1, nil
	case v2.Controller(Memory).OK && !v1.Controller(Memory).OK:
		return v2, nil // a hybrid host that has moved on
	}
	return v1, nil
}

// pick returns the first base in m that check accepts, and otherwise the reason
// why the last one was not.
func (h host) pick(m mount, own string, check func(dir string) error) (string, error) {
	candidates := []string{own}
	switch {
	case h.base == ownGroup:
	case h.base != "":
		candidates = []string{h.base}
	case h.root:
		candidates = slices.Compact([]string{m.root, own})
	}
	reason := errors.New("the mount does not show the group of this process")
	for _, base := range candidates {
		dir := m.dir(base)
		if dir == "" {
			continue
		}
		if reason = check(dir); reason == nil {
			return base, nil
		}
	}
	return "", reason
}

// writable asks the kernel with the effective ids; it knows of read-only mounts,
// capabilities and access lists.
func writable(names ...string) error {
	for _, name := range names {
		if err := unix.Faccessat(unix.AT_FDCWD, name, unix.W_OK, unix.AT_EACCESS); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// hint says what helps against a reason.
func (h host) hint(v Version, reason error) string {
	switch {
	case errors.Is(reason, unix.EROFS):
		return "mount the control group file system writable (in a container: --cgroupns=private with a writable mount)"
	case h.base != "":
		return "make the group that " + BaseVariable + " names and give it to this user, or unset the variable"
	case v == V2:
		return "run under: systemd-run --user --scope -p Delegate=yes"
	}
	return "as root, make a group in each of memory, pids, cpu and cpuacct, give it to this user, and name its path in " + BaseVariable
}

// absent explains a controller that no tree has.
func absent(name string, member map[string]string) Controller {
	c := Controller{Name: name, Reason: "no mounted hierarchy has the controller"}
	if _, known := member[name]; !known {
		c.Reason = "the kernel does not offer the controller"
		if name == Memory {
			c.Hint = "boot the kernel with cgroup_enable=memory"
		}
	}
	return c
}

// version is v when any of the controllers can be used.
func version(v Version, controllers []Controller) Version {
	if slices.ContainsFunc(controllers, func(c Controller) bool { return c.OK }) {
		return v
	}
	return None
}

// has reports whether the space-separated list has the word.
func has(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

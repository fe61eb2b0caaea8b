//go:build cellwall_weaken

package native

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// weakenVariable names the protection that this process goes without.
const weakenVariable = "CELLWALL_WEAKEN"

// weakenings are the names that the variable takes.
var weakenings = map[string]safeguard{
	"seccomp": callFilter, "pid-namespace": pidNamespace, "net-namespace": netNamespace, "user-id": ownUser,
	"memory-cgroup": memoryGroup, "pids-cgroup": pidsGroup, "read-only-root": readOnlyRoot, "output-limits": outputLimit,
	"fd-closing": descriptorsClosed, "reseeding": reseeding, "snapshot-gate": snapshotGate,
	"snapshot-cage": snapshotCage,
}

func without(p safeguard) bool {
	name := os.Getenv(weakenVariable)
	taken, known := weakenings[name]
	if name != "" && !known {
		panic(weakenVariable + ": no protection is called " + name)
	}
	return known && taken == p
}

// weakness names what is lacking: it keeps a driver without it apart from the
// whole one, and every Boundary and the log name it.
func weakness() string { return os.Getenv(weakenVariable) }

// wardenEnv lets the warden go without the same.
func wardenEnv() []string { return []string{weakenVariable + "=" + os.Getenv(weakenVariable)} }

// patch is what a driver lacks without a protection: whole lines, once.
type patch struct{ file, from, to string }

// patches are applied to the driver's text: what is shipped has no switch, not
// even one that is off.
var patches = map[safeguard]patch{
	pidNamespace: {"zygote.py", "            os.setns(fds[0], linux.CLONE_NEWPID)  # for children only\n", ""},
	netNamespace: {
		"wall.py",
		"        kinds = linux.CLONE_NEWNS | linux.CLONE_NEWNET | linux.CLONE_NEWIPC | linux.CLONE_NEWUTS\n",
		"        kinds = linux.CLONE_NEWNS | linux.CLONE_NEWIPC | linux.CLONE_NEWUTS\n",
	},
	descriptorsClosed: {
		"wall.py", "        os.closerange(CHANNEL + 1, 1 << 20)\n", "",
	},
	reseeding: {"seeds.py", "    if _address is None:\n", "    return\n    if _address is None:\n"},
}

// weakened returns a file of the driver without what is taken away. A patch that
// no longer fits is an error: a test that removes nothing proves nothing.
func weakened(path string, text []byte) ([]byte, error) {
	for p, change := range patches {
		if !without(p) || filepath.Base(path) != change.file {
			continue
		}
		return change.apply(text)
	}
	return text, nil
}

// apply demands that the lines are there, whole: what matched within one would
// leave a piece of it behind, and a driver that fails for another reason.
func (p patch) apply(text []byte) ([]byte, error) {
	before, after, found := bytes.Cut(append([]byte("\n"), text...), []byte("\n"+p.from))
	if !found || bytes.Contains(after, []byte("\n"+p.from)) {
		return nil, fmt.Errorf("weaken driver: %s does not have the lines %q, or not once", p.file, p.from)
	}
	return bytes.Join([][]byte{before, []byte("\n" + p.to), after}, nil)[1:], nil // after lies behind before in memory
}

package backendtest

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall/linux/cgroup"
)

// outerGroups is an instance of control groups that no controller sweeps: on
// version 1 it stands beside cellwall/, where every controller of this machine
// looks for what dead ones left. It skips t where memory and processes cannot
// be limited, for an attack would not be contained there.
func outerGroups(t, owner *testing.T) *cgroup.Instance {
	t.Helper()
	h, err := cgroup.Detect()
	if err != nil {
		t.Fatalf("detect control groups: %v", err)
	}
	for _, name := range []string{cgroup.Memory, cgroup.PIDs} {
		if c := h.Controller(name); !c.OK {
			t.Skipf("not measured, proof: an outer cell needs the %s controller: %s", name, c.Reason)
		}
	}
	if h.Version == cgroup.V1 {
		if h, err = besideControllers(owner, h); err != nil {
			t.Fatal(err)
		}
	}
	inst, err := cgroup.NewInstance(h, fmt.Sprintf("outer-%d", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	owner.Cleanup(func() {
		if err := inst.Close(); err != nil {
			owner.Errorf("close the groups of the outer cells: %v", err)
		}
	})
	return inst
}

// besideControllers makes a base of our own in each tree.
func besideControllers(owner *testing.T, h cgroup.Hierarchy) (cgroup.Hierarchy, error) {
	name := fmt.Sprintf("cellwall-outer-%d", os.Getpid())
	for _, controller := range []string{cgroup.Memory, cgroup.PIDs, cgroup.CPU} {
		c := h.Controller(controller)
		if !c.OK {
			continue
		}
		dir := path.Join(c.Base, name)
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return h, fmt.Errorf("make base of the outer cells: %w", err)
		}
		owner.Cleanup(func() {
			if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
				owner.Errorf("remove base of the outer cells: %v", err)
			}
		})
	}
	return cgroup.DetectAt(path.Join("/", os.Getenv(cgroup.BaseVariable), name))
}

// hierarchyOptions returns the options of the version 2 hierarchy that a
// mountinfo file shows, as mount(2) takes them; "" = it shows none.
func hierarchyOptions(mountinfo string) (string, error) {
	text, err := os.ReadFile(mountinfo)
	if err != nil {
		return "", fmt.Errorf("read the options of the control groups: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if _, after, ok := strings.Cut(line, " - cgroup2 "); ok {
			fields := strings.Fields(after)
			options := strings.Split(fields[len(fields)-1], ",")
			return strings.Join(slices.DeleteFunc(options, func(o string) bool { return o == "rw" || o == "ro" }), ","), nil
		}
	}
	return "", nil
}

package cgroup

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// detectV2 looks at the unified tree. Its base must offer the controllers and
// let us hand them down.
func (h host) detectV2(mounts []mount, member map[string]string) Hierarchy {
	var found Hierarchy
	i := slices.IndexFunc(mounts, func(m mount) bool { return m.v2 })
	own, known := member[""]
	if i < 0 || !known {
		for _, name := range []string{Memory, PIDs, CPU} {
			found.Controllers = append(found.Controllers, absent(name, member))
		}
		return found
	}
	if path.Base(own) == selfLeaf { // we, or our parent, made room before
		own = path.Dir(own)
	}
	base, reason := h.pick(mounts[i], own, checkV2)
	if reason != nil {
		for _, name := range []string{Memory, PIDs, CPU} {
			found.Controllers = append(found.Controllers,
				Controller{Name: name, Reason: reason.Error(), Hint: h.hint(V2, reason)})
		}
		return found
	}
	t := tree{mount: mounts[i], base: base}
	offered, err := os.ReadFile(path.Join(t.dir(), "cgroup.controllers"))
	for _, name := range []string{Memory, PIDs, CPU} {
		if err == nil && has(string(offered), name) {
			t.controllers = append(t.controllers, name)
			found.Controllers = append(found.Controllers, Controller{Name: name, OK: true, Base: t.dir()})
			continue
		}
		found.Controllers = append(found.Controllers, Controller{
			Name:   name,
			Reason: fmt.Sprintf("%s offers only: %s", t.dir(), strings.TrimSpace(string(offered))),
			Hint:   "delegate the controller: Delegate=yes in the unit of this service or of user@.service",
		})
	}
	found.trees = []tree{t}
	found.Version = version(V2, found.Controllers)
	return found
}

// checkV2 accepts a directory in which we may make groups, move processes and
// enable controllers.
func checkV2(dir string) error {
	if err := writable(dir, path.Join(dir, "cgroup.procs"), path.Join(dir, "cgroup.subtree_control")); err != nil {
		return err
	}
	kind, err := os.ReadFile(path.Join(dir, "cgroup.type")) // the root has none
	if err == nil && strings.TrimSpace(string(kind)) != "domain" {
		return fmt.Errorf("use %s: it is a %s group", dir, strings.TrimSpace(string(kind)))
	}
	return nil
}

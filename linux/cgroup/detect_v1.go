package cgroup

import "slices"

// detectV1 looks for each controller in the tree that carries it. Several may
// share one tree (cpu,cpuacct).
func (h host) detectV1(mounts []mount, member map[string]string) Hierarchy {
	var found Hierarchy
	for _, name := range []string{Memory, PIDs, CPU, cpuacct} {
		c := h.controllerV1(&found, name, mounts, member)
		if name != cpuacct { // only a clock: without it usage is unknown, nothing is unlimited
			found.Controllers = append(found.Controllers, c)
		}
	}
	found.Version = version(V1, found.Controllers)
	return found
}

func (h host) controllerV1(found *Hierarchy, name string, mounts []mount, member map[string]string) Controller {
	own, known := member[name]
	i := slices.IndexFunc(mounts, func(m mount) bool { return !m.v2 && slices.Contains(m.options, name) })
	if i < 0 || !known {
		return absent(name, member)
	}
	m := mounts[i]
	for t := range found.trees {
		if found.trees[t].mount.point == m.point {
			found.trees[t].controllers = append(found.trees[t].controllers, name)
			return Controller{Name: name, OK: true, Base: found.trees[t].dir()}
		}
	}
	base, reason := h.pick(m, own, func(dir string) error { return writable(dir) })
	if reason != nil {
		return Controller{Name: name, Reason: reason.Error(), Hint: h.hint(V1, reason)}
	}
	t := tree{mount: m, base: base, controllers: []string{name}}
	found.trees = append(found.trees, t)
	return Controller{Name: name, OK: true, Base: t.dir()}
}

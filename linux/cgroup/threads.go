package cgroup

import "path"

// Threads lists the threads of all processes of the group itself, as this
// process counts. A group that is gone has none.
func (g *Group) Threads() ([]int, error) {
	s := g.inst.spots(g.name)[0]
	file := "tasks"
	if s.v2 {
		file = "cgroup.threads"
	}
	text, err := s.d.read(path.Join(s.rel, file))
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parsePIDs(text)
}

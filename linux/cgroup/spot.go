package cgroup

import "path"

// spot is one group in one tree.
type spot struct {
	d     dir
	rel   string
	key   string // the tree's name in /proc/PID/cgroup
	shown string // the group's path there
	v2    bool
}

func (i *Instance) spots(group string) []spot {
	spots := make([]spot, len(i.dirs))
	for n, d := range i.dirs {
		spots[n] = i.h.trees[n].spot(d, group, path.Join(i.shown[n], group))
	}
	return spots
}

func (t tree) spot(d dir, rel, shown string) spot {
	s := spot{d: d, rel: rel, shown: shown, v2: t.mount.v2}
	if !s.v2 {
		s.key = t.controllers[0]
	}
	return s
}

// populated asks v2 for one word and walks the subtree on v1.
func (s spot) populated() (bool, error) {
	if s.v2 {
		text, err := s.d.read(path.Join(s.rel, "cgroup.events"))
		if gone(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		values, err := parseFlat(text)
		return values["populated"] != 0, err
	}
	busy := false
	err := s.walk(func(rel string) error {
		pids, err := s.pids(rel)
		busy = busy || len(pids) > 0
		return err
	})
	return busy, err
}

// pids lists one group, without those below. The file is opened anew each time:
// v1 goes on showing an open file the list that it was opened with.
func (s spot) pids(rel string) ([]int, error) {
	text, err := s.d.read(path.Join(rel, "cgroup.procs"))
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parsePIDs(text)
}

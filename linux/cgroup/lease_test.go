package cgroup

import (
	"path"
	"testing"

	"golang.org/x/sys/unix"
)

// The steps of moving in begin again when a parent was removed between them: a
// lease that was taken by then must not keep its own holder out.
func TestMovingInAgainMeetsNotTheOwnLease(t *testing.T) {
	h := detect(t)
	i := newInstance(t, h)
	for name, before := range map[string]func(tree) error{
		"the group is there":  func(tree) error { return nil },
		"the group went away": func(tr tree) error { return unix.Rmdir(path.Join(tr.dir(), home, i.name)) },
	} {
		for n, tr := range h.trees {
			if err := before(tr); err != nil {
				t.Fatal(err)
			}
			d, err := i.makeDirs(tr)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			i.dirs[n].close()
			i.dirs[n] = d
		}
		if len(i.lease.fds) != len(h.trees) || len(i.lease.trees) != len(h.trees) {
			t.Errorf("%s: %d leases of %d trees", name, len(i.lease.fds), len(h.trees))
		}
		if _, err := leaseAll(h, i.name); err == nil {
			t.Errorf("%s: the lease is held by nobody", name)
		}
	}
}

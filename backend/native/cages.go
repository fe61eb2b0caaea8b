package native

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// A cage is the control group of one snapshot, and of what it forks until that has
// moved on. A cell can make the snapshot that is taken after it run on and on: in
// a group of its own it finds nobody's memory, processes or time but its own.
//
// What a snapshot shares with the interpreter stays charged to the cells, who
// touched it first. Its own are page tables, and the pages that a newborn
// interpreter copies before it moves: 3 to 6 MB, and a few thousandths of the
// state.
const (
	leastCage     = 16 * cellwall.MiB
	processesCage = 8    // the snapshot, a newborn, and those that are not reaped yet
	restingCage   = 0.01 // cores of a snapshot that waits
)

// cages are those of one session.
type cages struct {
	make func(name string, l cgroup.Limits) (*cgroup.Group, error)
	stem string // with which their names begin

	mu       sync.Mutex // the gate looks at them as well
	made     int
	all      []*cgroup.Group
	removing sync.WaitGroup
	clock    cageClock
}

// cageLimits are those of each.
func (s *session) cageLimits() cgroup.Limits {
	g := s.backend.groupLimits(s.limits)
	n := max(1, s.limits.Checkpoints)
	g.MemoryBytes, g.Processes = max(leastCage, g.MemoryBytes/4/int64(n)), processesCage
	if g.CPUs > 0 {
		g.CPUs = max(restingCage, g.CPUs/float64(n))
	}
	if without(snapshotCage) { // for all of them together
		g.MemoryBytes, g.Processes, g.CPUs = s.limits.MemoryBytes/4, n+16, s.limits.CPUs
	}
	g.OneByOne = true // the snapshot is worth more than what it forks
	return g
}

// open makes a cage that nobody is in.
func (c *cages) open(l cgroup.Limits) (*cgroup.Group, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if without(snapshotCage) && len(c.all) > 0 {
		return c.all[0], nil
	}
	c.made++
	g, err := c.make(c.stem+strconv.Itoa(c.made), l)
	if err == nil {
		c.all = append(c.all, g)
	}
	return g, err
}

// groups are those that stand.
func (c *cages) groups() []*cgroup.Group {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}

// count counts the processes of all snapshots, see counter.
func (c *cages) count(population, bool) population {
	all := population{members: map[int]standing{}}
	for _, g := range c.groups() {
		maps.Copy(all.members, headcount(g, population{}, true).members)
	}
	return all
}

// hurry gives a snapshot that is to fork the processors of the session, and takes
// them back.
func (s *session) hurry(cage *cgroup.Group, on bool) {
	l := cgroup.Limits{CPUs: s.cageLimits().CPUs}
	if on {
		l.CPUs = s.backend.groupLimits(s.limits).CPUs
	}
	if err := cage.SetLimits(l); err != nil {
		s.backend.logger.Warn("give processor time to a snapshot", "error", err)
	}
}

// give ends whoever is in a cage, and removes it behind the caller's back.
func (s *session) give(cage *cgroup.Group) {
	if cage == nil || without(snapshotCage) {
		return
	}
	s.cages.removing.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), s.backend.endTimeout)
		defer cancel()
		if err := s.cages.remove(ctx, cage); err != nil {
			s.backend.logger.Warn("remove group of a snapshot", "error", err) // it goes with the session
		}
	})
}

func (c *cages) remove(ctx context.Context, cage *cgroup.Group) error {
	if err := cage.Kill(ctx); err != nil {
		return err
	}
	c.clockOut(cage)
	if err := cage.Remove(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(g *cgroup.Group) bool { return g == cage })
	c.clockGone(cage)
	return nil
}

// close removes all of them when the session has ended.
func (c *cages) close(patience time.Duration) (err error) {
	c.removing.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, g := range c.groups() {
		err = errors.Join(err, c.remove(ctx, g))
	}
	return err
}

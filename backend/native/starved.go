package native

import (
	"time"

	"github.com/cellwall/cellwall/linux/cgroup"
)

// starvedLook is how often a run is asked whether the kernel has killed one of
// its processes for want of memory: a call of 2 µs.
const starvedLook = 20 * time.Millisecond

// starved reports whether a process of the sandbox was killed for want of
// memory, where the kernel leaves the others alive. With version 2 it ends all
// of them by itself. A run that has lost a process is over: what is left may
// wait for it until the deadline, or fork the next, and would end as this or as
// that by chance.
func (r *run) starved() bool {
	s := r.s
	if s.group == nil || s.backend.hierarchy.Version != cgroup.V1 {
		return false
	}
	kills, err := s.group.OOMKills()
	if err != nil {
		s.backend.logger.Warn("look for killed processes", "error", err)
	}
	return kills > r.base.events.OOMKills
}

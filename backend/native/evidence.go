package native

import (
	"fmt"
	"os"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/linux/mount"
)

// counters are what the kernel had counted when a run began. They are zero for
// the only run of a sandbox; what a cell did is the difference.
type counters struct {
	events  cgroup.Events
	usage   cgroup.Usage
	refused map[string]int64
	full    bool // a file system was full already
}

// count reads all of them.
func (s *sandbox) count() (c counters, err error) {
	c.usage = s.usage()
	c.refused = map[string]int64{}
	for _, refused := range s.listener.Counts() {
		c.refused[refused.Call] = refused.N
	}
	if c.full, err = s.full(); err != nil || s.group == nil {
		return c, err
	}
	if c.events, err = s.group.Events(); err != nil {
		return c, fmt.Errorf("read counters: %w", err)
	}
	return c, nil
}

// evidence collects what the kernel knows, once everything is dead, or a cell
// has said that it is done.
func (r *run) evidence(why stop) (evidence, error) {
	s := r.s
	found := evidence{
		cancelled: why == stopCancelled || why == stopIgnored || r.sinkFailed(), deadline: why == stopDeadline,
		output: r.overflowed(), protocol: r.broken(), done: r.word(),
	}
	if found.done == nil {
		select {
		case <-r.exit.told:
			found.exit = r.exit.event
		case <-s.stem.gone:
			if !found.cancelled && !found.deadline {
				return found, errStemGone
			}
		case <-time.After(s.backend.endTimeout):
			s.stem.giveUp()
			return found, errStemGone
		}
	}
	if s.group != nil {
		events, err := s.group.Events()
		if err != nil {
			return found, fmt.Errorf("read cause of death: %w", err)
		}
		found.events = events
		found.events.OOMKills -= r.base.events.OOMKills
		found.events.PIDsMax -= r.base.events.PIDsMax
	}
	full, err := s.full()
	found.full = full && !r.base.full
	return found, err
}

// full reports whether a file system of the sandbox is full.
func (s *sandbox) full() (bool, error) {
	for _, dir := range []*os.File{s.opened.output, s.opened.scratch} {
		usage, err := mount.UsageOf(dir)
		if err != nil || usage.Full() {
			return usage.Full(), err
		}
	}
	if s.files != nil { // the file system has room for more than the workspace
		return s.files.Over()
	}
	return false, nil
}

func (s *sandbox) usage() cgroup.Usage {
	if s.group == nil {
		return cgroup.Usage{}
	}
	usage, err := s.group.Usage()
	if err != nil {
		s.backend.logger.Warn("measure sandbox", "error", err)
	}
	return usage
}

// openCounters reads what the sandbox has used before anything ran, and opens what
// its end will be read from: behind a run that would take 0.1 ms of the answer's time.
func (s *sandbox) openCounters() error {
	s.idle = s.usage()
	if s.group == nil {
		return nil
	}
	if _, err := s.group.Events(); err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	return nil
}

// measure returns what a run has used, and of that the processor time as the counter
// has it.
func (r *run) measure(wall time.Duration) (cellwall.Usage, time.Duration) {
	after := r.s.usage()
	cpu := max(0, after.CPU-r.base.usage.CPU)
	return cellwall.Usage{
		WallMS: milliseconds(wall), CPUMS: milliseconds(cpu),
		MemoryPeakBytes: max(0, after.MemoryPeak), ProcessesPeak: max(0, after.ProcessesPeak),
	}, cpu
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// refusals lists what the wall refused during this run.
func (r *run) refusals() []cellwall.Refusal {
	var refused []cellwall.Refusal
	for _, c := range r.s.listener.Counts() {
		if n := c.N - r.base.refused[c.Call]; n > 0 {
			refused = append(refused, cellwall.Refusal{Call: c.Call, Count: n})
		}
	}
	return refused
}

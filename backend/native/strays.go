package native

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/linux/pidfd"
)

// errStuck says that a snapshot was born with a lock that nobody will open.
var errStuck = errors.New("the snapshot was forked while a thread held a lock")

// birthLook is how often a snapshot that does not speak is looked at. One that
// waits for a processor does not sleep; between its birth and its first word there
// is nothing that it would sleep for.
const birthLook = 100 * time.Millisecond

// watchBirth ends a snapshot that sleeps before it has spoken. What it returns
// ends the watch and says whether it did so.
func (s *session) watchBirth() (end func() bool) {
	over, done := make(chan struct{}), make(chan bool, 1)
	go func() {
		look := time.NewTicker(birthLook)
		defer look.Stop()
		for asleep := 0; ; {
			select {
			case <-over:
				done <- false
				return
			case <-look.C:
			}
			before := asleep
			if asleep = s.sleeper(); asleep != 0 && asleep == before {
				s.killStray(s.group, asleep)
				done <- true
				return
			}
		}
	}()
	return func() bool {
		close(over)
		return <-done
	}
}

// sleeper returns the number of a newborn sister of the live interpreter that
// sleeps, 0 when there is none.
func (s *session) sleeper() int {
	pids, err := s.group.Members()
	if err != nil {
		return 0
	}
	for _, pid := range pids {
		if pid == s.live.pid {
			continue
		}
		stat, err := statOf(pid)
		if err != nil {
			continue
		}
		fields := behindName(stat) // first its state and its parent
		if len(fields) > 1 && fields[0] == "S" && fields[1] == strconv.Itoa(s.warden) {
			return pid
		}
	}
	return 0
}

// killStrays ends what was forked as a sister into a group and did not speak in
// time.
func (s *session) killStrays(in *cgroup.Group, known ...int) {
	pids, err := in.Members()
	if err != nil {
		s.backend.logger.Warn("look for strays", "error", err)
	}
	for _, pid := range pids {
		if !slices.Contains(known, pid) {
			s.killStray(in, pid)
		}
	}
}

func (s *session) killStray(in *cgroup.Group, pid int) {
	process, err := pidfd.Open(pid)
	if err != nil {
		return // it has ended
	}
	defer process.Close()
	seen, err := lookAt(pid)
	if err != nil || seen.parent != s.warden {
		return
	}
	if ours, err := in.Has(pid); err == nil && ours {
		_ = process.Kill()
	}
}

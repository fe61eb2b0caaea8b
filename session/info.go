package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
)

// State is what a session does now.
type State string

// The states.
const (
	Ready   State = "ready"
	Running State = "running"
	Paused  State = "paused"
	Over    State = "over"
)

// Info describes a session at one moment.
type Info struct {
	ID          string
	Identity    cellwall.Identity
	Environment string
	Backend     string
	Limits      cellwall.Limits
	State       State
	Ended       string // why it is over: closed, idle, total, died
	Waiting     int    // callers in the queue
	Cells       int    // that ran
	Branch      string // that is live
	Branches    []string
	Began       time.Time
	Expires     time.Time // when it ends if nobody uses it from now on
	Budget      cellwall.Budget
	Used        cellwall.Budget
}

// Info describes the session and waits for nobody.
func (s *Session) Info() Info {
	running, waiting := s.turns.busy()
	s.mu.Lock()
	defer s.mu.Unlock()
	i := Info{
		ID: s.id, Identity: s.req.Identity, Environment: cmp.Or(s.boundary.Environment, s.req.Environment), Backend: cmp.Or(s.boundary.Backend, s.req.Backend), Limits: s.req.Limits,
		State: Ready, Ended: string(s.ending), Waiting: waiting, Cells: s.count,
		Branch: s.branches.live, Branches: slices.Clone(s.branches.names), Began: s.began,
		Expires: s.began.Add(s.life.Total),
	}
	if s.meter != nil {
		i.Budget, i.Used = s.meter.Limit(), s.meter.Used()
	}
	idle := s.used.Add(s.life.Idle)
	switch {
	case s.ending != "":
		i.State = Over
	case s.paused:
		i.State = Paused
	case running:
		i.State = Running
	case idle.Before(i.Expires):
		i.Expires = idle
	}
	return i
}

package api

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
)

// sessionView is a session as its owner sees it.
type sessionView struct {
	ID          string                `json:"id"`
	State       string                `json:"state" enum:"ready,running,paused,over"`
	Environment string                `json:"environment"`
	Backend     string                `json:"backend"`
	Limits      limitsView            `json:"limits"`
	CreatedAt   time.Time             `json:"created_at"`
	ExpiresAt   time.Time             `json:"expires_at" doc:"When it ends if nobody uses it from now on"`
	Executions  int                   `json:"executions" doc:"That ran"`
	Waiting     int                   `json:"waiting" doc:"Calls that wait for their turn"`
	Branch      string                `json:"branch"`
	Branches    []string              `json:"branches"`
	Checkpoints []cellwall.Checkpoint `json:"checkpoints"`
	Budget      budgetView            `json:"budget"`
	Usage       sessionUsage          `json:"usage"`
	Begin       *cellwall.Result      `json:"begin,omitempty" doc:"When it was opened: how its data was read"`
}

// sessionUsage is the processor time of a session so far, in milliseconds.
type sessionUsage struct {
	CPUMS        float64  `json:"cpu_ms" doc:"Processor time of its beginning and its executions, in milliseconds"`
	BetweenCPUMS *float64 `json:"between_cpu_ms" doc:"Processor time, in milliseconds, of what ran while no execution did: threads and processes that were left running, and checkpoints while they were taken. It is in the tenant's usage, and counts as time of budgets. null: this host does not count it"`
}

// limitsView are the limits of a session.
type limitsView struct {
	TimeoutMS     int64   `json:"timeout_ms"`
	MemoryBytes   int64   `json:"memory_bytes"`
	CPUs          float64 `json:"cpus"`
	Processes     int     `json:"processes"`
	OutputBytes   int64   `json:"output_bytes"`
	ArtifactBytes int64   `json:"artifact_bytes"`
}

// budgetView is what a session may use, and what it used; 0 of a limit = there is
// none.
type budgetView struct {
	Limit budgetFigures `json:"limit" doc:"0: there is none"`
	Used  budgetFigures `json:"used"`
}

type budgetFigures struct {
	Executions int     `json:"executions"`
	Failures   int     `json:"consecutive_failures"`
	TimeMS     float64 `json:"total_time_ms"`
	TokenCost  float64 `json:"token_cost"`
	SameError  int     `json:"same_error"`
}

func figures(b cellwall.Budget) budgetFigures {
	return budgetFigures{b.Executions, b.Failures, float64(b.Time) / float64(time.Millisecond), b.TokenCost, b.SameError}
}

func viewSession(ctx context.Context, one Session) sessionView {
	st := one.State()
	l := st.Limits
	v := sessionView{
		ID: st.ID, State: st.State, Environment: st.Environment, Backend: st.Backend,
		Limits: limitsView{
			l.Timeout.Milliseconds(), l.MemoryBytes, l.CPUs, l.Processes, l.OutputBytes, l.ArtifactBytes,
		},
		CreatedAt: st.Began.UTC(), ExpiresAt: st.Expires.UTC(), Executions: st.Cells, Waiting: st.Waiting,
		Branch: st.Branch, Branches: st.Branches, Checkpoints: one.Checkpoints(ctx),
		Budget: budgetView{figures(st.Budget), figures(st.Used)}, Usage: sessionUsage{st.CPUMS, st.BetweenCPUMS},
	}
	if v.Checkpoints == nil {
		v.Checkpoints = []cellwall.Checkpoint{}
	}
	if v.Branches == nil {
		v.Branches = []string{}
	}
	return v
}

package main

import (
	"errors"
	"time"

	"github.com/cellwall/cellwall"
)

// sessionFlags choose what a session at the terminal is.
type sessionFlags struct {
	Data    []string      `sep:"none" placeholder:"FILE" help:"A data file; the first is df. May be given again."`
	Env     string        `placeholder:"NAME" default:"${default_env}" help:"The environment."`
	Backend string        `placeholder:"NAME" default:"${default_backend}" help:"The backend."`
	Timeout time.Duration `placeholder:"30s" help:"Wall clock of a cell (100ms to 5m, default 30s)."`
	Memory  size          `placeholder:"512MiB" help:"Memory of all processes of the session (64MiB to 64GiB, default 512MiB)."`
	CPUs    float64       `name:"cpus" placeholder:"1" help:"Processor cores (0.1 to 64, default 1)."`
	Pids    int           `placeholder:"64" help:"Processes and threads (4 to 4096, default 64)."`
	Rows    int           `placeholder:"10000" help:"Rows of a table that df holds; one with more is sampled (1 to 50000000, default 10000)."`
	budgetFlags
	reviewFlags
	Profile       string `enum:"default,strict,off" default:"default" help:"Checks before the run, and the restricted interpreter: default, strict or off. The wall is the same in all three."`
	Lang          string `enum:"en,zh" default:"en" help:"Language of hints: en or zh."`
	AllowDegraded bool   `help:"Run although this host cannot enforce a protection; the result names it."`
}

// budgetFlags bound what cells may use together.
type budgetFlags struct {
	MaxCells    int           `placeholder:"N" help:"Stop the session behind this many cells (default: no bound)."`
	MaxFailures int           `placeholder:"N" help:"Stop it behind this many failures in a row (default: no bound)."`
	MaxTime     time.Duration `placeholder:"1h" help:"Stop it when its cells have run this long together (default: no bound)."`
}

// cellTimeout is the wall clock of a cell when nobody says otherwise: a person
// waits, and Ctrl-C is near.
const cellTimeout = 30 * time.Second

// request is the session as flags describe it, its data files open until undo.
func (f *sessionFlags) request(verb string) (req cellwall.Request, undo func(), err error) {
	req = cellwall.Request{
		Environment: f.Env, Backend: f.Backend, Profile: f.Profile, Language: f.Lang, AllowDegraded: f.AllowDegraded,
		Limits: cellwall.Limits{Timeout: f.Timeout, MemoryBytes: int64(f.Memory), CPUs: f.CPUs, Processes: f.Pids, Rows: f.Rows},
	}
	if req.Limits.Timeout == 0 {
		req.Limits.Timeout = cellTimeout
	}
	if f.MaxCells < 0 || f.MaxFailures < 0 || f.MaxTime < 0 {
		return req, nil, usage("read command line", errors.New("a bound is negative"), "cellwall "+verb+" --help")
	}
	if err := checkLimits(req.Limits, verb); err != nil {
		return req, nil, err
	}
	req.Datasets, undo, err = openInputs(f.Data, req.Limits)
	return req, undo, err
}

// budget is what the session may use before it is stopped.
func (f *budgetFlags) budget() cellwall.Budget {
	return cellwall.Budget{Executions: f.MaxCells, Failures: f.MaxFailures, Time: f.MaxTime}
}

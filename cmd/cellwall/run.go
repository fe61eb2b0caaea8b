package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
)

// runVerb is "cellwall run".
type runVerb struct {
	File string `arg:"" optional:"" name:"FILE.py" help:"The program, a notebook (.ipynb), or - for standard input."`

	Code    string        `short:"c" placeholder:"CODE" help:"The program itself, instead of a file."`
	Data    []string      `sep:"none" placeholder:"FILE" help:"A data file; the first is df. May be given again."`
	Out     string        `placeholder:"DIR" help:"Copy artifacts and figures there."`
	Env     string        `placeholder:"NAME" default:"${default_env}" help:"The environment."`
	Backend string        `placeholder:"NAME" default:"${default_backend}" help:"The backend."`
	Timeout time.Duration `placeholder:"8s" help:"Wall clock of the program (100ms to 5m, default 8s)."`
	Memory  size          `placeholder:"512MiB" help:"Memory of all its processes (64MiB to 64GiB, default 512MiB)."`
	CPUs    float64       `name:"cpus" placeholder:"1" help:"Processor cores (0.1 to 64, default 1)."`
	Pids    int           `placeholder:"64" help:"Processes and threads (4 to 4096, default 64)."`
	Rows    int           `placeholder:"10000" help:"Rows of a table that df holds; one with more is sampled (1 to 50000000, default 10000)."`
	budgetFlags
	reviewFlags
	Tools         []string `enum:"query" placeholder:"query" help:"What the program may call: query is tools.query(SQL) over every row of the data."`
	QueryEnv      string   `placeholder:"NAME" default:"python-query" help:"The environment of tools.query."`
	Profile       string   `enum:"default,strict,off" default:"default" help:"Checks before the run, and the restricted interpreter: default, strict or off. The wall is the same in all three."`
	Lang          string   `enum:"en,zh" default:"en" help:"Language of hints: en or zh."`
	AllowDegraded bool     `help:"Run although this host cannot enforce a protection; the result names it."`
	Server        string   `placeholder:"URL" help:"Run at a service (http://… or unix:PATH)."`
	JSON          bool     `name:"json" help:"Print one Result document on stdout and nothing else."`
	Quiet         bool     `short:"q" help:"No summary: only what the program prints, and on stderr what failed, is a sample or ran without a protection."`
	Raw           bool     `help:"Do not escape control characters on a terminal."`
}

// Help is the part of the help that shows how it is used.
func (*runVerb) Help() string {
	return `Examples:

  cellwall run -c 'print(6 * 7)'
  cellwall run --data sales.csv -c 'df.groupby("region").revenue.sum()'
  cellwall run --data sales.csv --out charts/ report.py
  cat report.py | cellwall run --json --timeout 20s -
  cellwall run notebook.ipynb

Inside, the data files are df and dfs, pd, np and plt are imported, and what is
saved to out_dir becomes an artifact. A notebook runs cell by cell, up to the
first that fails, and what its cells leave is written back into it; a cell has
30 s then, unless --timeout says otherwise.`
}

// Run runs the program and prints its result.
func (v *runVerb) Run(ctx context.Context, p *program, c *config) error {
	if isNotebook(v.File) {
		return v.runNotebook(ctx, p, c)
	}
	if v.budgetFlags != (budgetFlags{}) {
		return usage("read command line", errors.New("--max-cells, --max-failures and --max-time bound the cells of a notebook"), "a program has --timeout")
	}
	req, undo, err := v.request(p)
	if err != nil {
		return err
	}
	defer undo()
	at, err := v.service(ctx, p, c)
	if err != nil {
		return err
	}
	if at != nil {
		if err := v.only("a service"); err != nil {
			return err
		}
		return v.runAt(ctx, p, at, req)
	}
	h, err := p.openHouse(c, houseOptions{backend: v.Backend, environment: v.Env, degraded: v.AllowDegraded, review: v.settings()})
	if err != nil {
		return err
	}
	if req.Functions, err = h.insideFunctions(v.Tools, v.QueryEnv, v.Lang); err != nil {
		return errors.Join(err, h.Close())
	}
	result, err := v.execute(ctx, p, h, req)
	if closeErr := h.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("put sandboxes away: %w", closeErr)
	}
	if err != nil {
		return err
	}
	return status(exitOfResult(result, ctx.Err() != nil))
}

// execute warms, runs and prints.
func (v *runVerb) execute(ctx context.Context, p *program, h *house, req cellwall.Request) (*cellwall.Result, error) {
	if len(controller.Check(req.Code)) == 0 { // else nothing will run
		if err := p.warm(ctx, h, req, v.Quiet || v.JSON); err != nil {
			return nil, err
		}
	}
	live := &liveOutput{}
	if !v.JSON {
		live = p.newLiveOutput(v.Raw)
	}
	result, err := h.controller.Stream(ctx, req, live.sink)
	if err != nil {
		return nil, err
	}
	live.flush()
	if err := p.stdout.lost("standard output"); err != nil {
		return nil, err // what cancelled the run
	}
	saved, err := v.save(context.WithoutCancel(ctx), h, result)
	if err != nil {
		return nil, err
	}
	return result, v.tell(p, result, saved)
}

// tell prints the result, or how the run went.
func (v *runVerb) tell(p *program, result *cellwall.Result, saved []string) error {
	switch {
	case v.JSON:
		return p.printJSON(result)
	case v.Quiet:
		p.alert(result, v.Lang)
	default:
		p.summarize(result, saved, v.Out)
	}
	return nil
}

// request reads the code and opens the data files. undo closes them.
func (v *runVerb) request(p *program) (req cellwall.Request, undo func(), err error) {
	req = cellwall.Request{
		Environment: v.Env, Backend: v.Backend, Profile: v.Profile, Language: v.Lang, AllowDegraded: v.AllowDegraded,
		Limits: cellwall.Limits{Timeout: v.Timeout, MemoryBytes: int64(v.Memory), CPUs: v.CPUs, Processes: v.Pids, Rows: v.Rows},
	}
	if err := checkLimits(req.Limits, "run"); err != nil {
		return req, nil, err
	}
	if req.Code, err = v.source(p.stdin); err != nil {
		return req, nil, err
	}
	if err := checkOut(v.Out); err != nil {
		return req, nil, err
	}
	req.Datasets, undo, err = openInputs(v.Data, req.Limits)
	return req, undo, err
}

// service is where the code runs: at --server, or at the service of this very
// user when that does the same as a run here; nil = here. Into a pipe every byte
// of the program goes as it is, which the events of a service, being text, cannot.
func (v *runVerb) service(ctx context.Context, p *program, c *config) (*client, error) {
	if v.Server != "" {
		return v.server()
	}
	if v.AllowDegraded || v.Rows != 0 || v.Backend != defaultBackend || !v.JSON && !p.stdout.terminal {
		return nil, nil
	}
	return localClient(ctx, c, "/readyz", localPatience), nil
}

// server is the service of --server.
func (v *runVerb) server() (*client, error) {
	if v.AllowDegraded {
		return nil, usage("choose server", errors.New("--allow-degraded is the server's to say"), "leave it away")
	}
	if v.Rows != 0 {
		return nil, usage("choose server", errors.New("--rows is the server's to say"), "leave it away: a tenant has a ceiling of rows")
	}
	return newClient(v.Server)
}

// checkOut notices before the run what would lose its artifacts after it.
func checkOut(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return usage("write artifacts to "+dir, errNotDirectory, "choose another directory with --out")
	}
	return nil
}

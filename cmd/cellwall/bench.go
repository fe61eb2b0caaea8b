package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
)

// benchVerb is "cellwall bench".
type benchVerb struct {
	Env     string        `placeholder:"NAME" default:"${default_env}" help:"The environment."`
	Backend string        `placeholder:"NAME" default:"${default_backend}" help:"The backend."`
	JSON    bool          `name:"json" help:"Print one document."`
	Check   string        `placeholder:"FILE" type:"path" help:"Exit 1 when a figure misses its bar in FILE."`
	Load    time.Duration `default:"30s" help:"How long each load of many at once lasts; 0s leaves them out."`
	Docker  string        `placeholder:"IMAGE" help:"Compare with a container per run of IMAGE, by the docker client."`

	Jupyter  string `placeholder:"COMMAND" type:"path" help:"Compare with the live Jupyter kernel that COMMAND keeps: scripts/jupyter.sh."`
	Sessions int    `placeholder:"N" help:"Hold so many idle sessions at once."`
	HTTP     bool   `name:"http" help:"Measure the service only."`
}

// Help is the part of the help that says what is measured.
func (*benchVerb) Help() string {
	return `Every figure is a ratio to, or stands beside, the limit measured in the same run
and interleaved with it: a bare fork of a twin of the zygote that runs the same
program without a wall, from before the fork until the kernel says it has ended.
The product's time ends when Result, harvest and record exist. What begins with
http is of a service in a process of its own, asked by another process.`
}

// bench is one benchmark under way.
type bench struct {
	verb    *benchVerb
	config  *config // the real one
	say     func(format string, args ...any)
	house   *house // keeps sandboxes ready
	cold    *house // keeps none
	env     cellwall.Environment
	native  *native.Backend
	limit   limit
	figures figures

	capacity float64 // executions a second that the service was seen to do
}

// limit runs programs without a wall, see native.Limit.
type limit interface {
	Measure(source string, runs, parallel int) (each []time.Duration, all time.Duration, err error)
}

// Run measures everything and prints it.
func (v *benchVerb) Run(ctx context.Context, p *program, c *config) (err error) {
	if v.Load < 0 {
		return usage("measure loads", fmt.Errorf("%v is before its own beginning", v.Load), "give a time such as 30s, or 0s to leave them out")
	}
	var want bars
	if v.Check != "" { // what is wrong with it is known before minutes of measuring
		if want, err = readBars(v.Check); err != nil {
			return err
		}
	}
	b := &bench{verb: v, config: c, say: p.stderr.printf, figures: newFigures(v.Backend)}
	own, release, err := openOwnState(c, "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if b.cold, err = p.openHouse(own, houseOptions{backend: v.Backend, environment: v.Env}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.cold.Close()) }()
	if b.env, err = b.cold.environments.Open(v.Env); err != nil {
		return err
	}
	if b.house, err = p.openHouse(own, houseOptions{backend: v.Backend, environment: v.Env, ready: readyTarget}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.house.Close()) }()
	if err := b.measure(ctx); err != nil {
		return err
	}
	if v.JSON {
		err = p.printJSON(b.figures.document())
	} else {
		b.figures.print(p.stdout)
	}
	if err == nil && v.Check != "" {
		err = want.of(v.HTTP).check(p, b.figures)
	}
	return err
}

// measure takes the figures in order of their need for quiet.
func (b *bench) measure(ctx context.Context) (err error) {
	backend, ok := b.house.backend.(*native.Backend)
	if !ok {
		return usage("measure backend "+b.verb.Backend, errors.New("it has no limit to compare with"), "use --backend native")
	}
	b.say("bench: warming %s\n", b.env.Name)
	b.native = backend
	twin, err := backend.Limit(ctx, b.env)
	if err != nil {
		return err
	}
	defer twin.Close()
	b.limit = twin
	spec := cellwall.Spec{Environment: b.env, Limits: cellwall.DefaultLimits()}
	b.house.pool.Prepare(spec)
	for _, step := range b.steps() {
		began := time.Now()
		b.say("bench: %s … ", step.name)
		if err := step.run(ctx); err != nil {
			return fmt.Errorf("measure %s: %w", step.name, err)
		}
		b.say("%s\n", rounded(time.Since(began)))
	}
	return ctx.Err()
}

// step is one part of the measurement.
type step struct {
	name string
	run  func(context.Context) error
}

func (b *bench) steps() []step {
	service := step{"service", b.service}
	if b.verb.HTTP {
		return []step{service}
	}
	return []step{
		{"idle memory", b.idle},
		{"latency", b.latency},
		{"empty pool", b.emptyPool},
		{"burst", b.burst},
		{"checks", b.checks},
		{"1 at once", func(ctx context.Context) error { return b.load(ctx, 1) }},
		{"8 at once", func(ctx context.Context) error { return b.load(ctx, 8) }},
		{"64 at once", func(ctx context.Context) error { return b.load(ctx, 64) }},
		service,
		{"idle session", b.idleSession},
		{"cells", b.smallCells},
		{"going back", b.goingBack},
		{"frozen", b.frozen},
		{"change in place", b.inPlace},
		{"many sessions", b.manySessions},
		{"prepared data", b.templates},
		{"zygote", b.zygote},
		{"others", b.peers},
	}
}

// execute runs code once through a house and returns how long the caller waited.
func (b *bench) execute(ctx context.Context, h *house, code string) (time.Duration, error) {
	began := time.Now()
	result, err := h.controller.Run(ctx, cellwall.Request{
		Identity: cellwall.Identity{Tenant: "bench"}, Code: code, Environment: b.env.Name, Backend: b.verb.Backend,
		Limits: cellwall.Limits{Timeout: time.Minute},
	})
	took := time.Since(began)
	if err != nil {
		return took, err
	}
	if !result.OK {
		return took, fmt.Errorf("the program ended %s (%s): %s", result.Status, result.Cause, result.Stderr.Text)
	}
	return took, nil
}

// filled waits until the pool has what it keeps and nothing is under way.
func (b *bench) filled(ctx context.Context) error {
	for {
		ready, busy := 0, 0
		for _, s := range b.house.pool.Stats() {
			if s.Paused {
				return errors.New("the pool cannot be filled; its warning says why")
			}
			ready += s.Ready
			busy += s.Filling + s.Closing
		}
		for _, s := range b.cold.pool.Stats() {
			busy += s.Closing
		}
		if ready >= readyTarget && busy == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

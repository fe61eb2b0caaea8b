package main

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/artifact"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/dataset"
	"github.com/cellwall/cellwall/environment"
	"github.com/cellwall/cellwall/environments"
	"github.com/cellwall/cellwall/internal/cleanup"
	"github.com/cellwall/cellwall/observe"
	"github.com/cellwall/cellwall/policy"
	"github.com/cellwall/cellwall/pool"
	"github.com/cellwall/cellwall/prepared"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/session"
)

// house is the rooms, wired to each other.
type house struct {
	backend      cellwall.Backend
	environments *rememberedEnvironments
	artifacts    *artifact.Store
	pool         *pool.Set
	chain        *policy.Chain
	prepared     *prepared.Set // nil where the backend prepares nothing
	controller   *controller.Controller
	sessions     *session.Sessions
	records      recorder
	logger       *slog.Logger
	undo         *cleanup.Stack
}

// houseOptions choose what a house is made of.
type houseOptions struct {
	backend     string
	environment string
	ready       int             // sandboxes kept ready of each kind; 0 = none
	degraded    bool            // programs are read even where a protection is missing
	budget      cellwall.Budget // of each session
	review      reviewSettings

	// What a service has besides; nil = what the command line has.
	service bool // it starts locked down, too: its gate refuses work
	logger  *slog.Logger
	records *audit.Log // open already, and not the house's to close
	blocks  *policy.Blocks
	rules   func(tenant string, p policy.Profile) *policy.Set
	tune    func(*controller.Options, *session.Options, *pool.SetOptions)
}

// terminalLife is how long a session at a terminal may stand, and stand still:
// somebody may go home and come back.
const terminalLife = 24 * time.Hour

// openHouse wires the rooms over one backend. Close it.
func (p *program) openHouse(c *config, o houseOptions) (_ *house, err error) {
	var undo cleanup.Stack
	defer func() {
		if err == nil {
			return
		}
		if undoErr := undo.Run(); undoErr != nil {
			err = fmt.Errorf("%w; then %w", err, undoErr)
		}
	}()
	if !o.service {
		if err := c.checkLockdown(); err != nil {
			return nil, err
		}
	}
	if o.logger == nil {
		o.logger = p.logger()
	}
	h := &house{environments: &rememberedEnvironments{store: openStore(c)}, logger: o.logger}
	if o.records == nil {
		if o.records, err = audit.Open(c.records()); err != nil {
			return nil, stateError(c, err)
		}
		undo.Add(o.records.Close)
	}
	h.records = o.records
	if h.artifacts, err = artifact.OpenStore(c.inState("artifacts")); err != nil {
		return nil, err
	}
	undo.Add(h.artifacts.Close)
	if h.backend, err = p.openBackend(o.backend, c, o.logger); err != nil {
		return nil, err
	}
	undo.Add(h.backend.Close)
	if err = h.openChain(c, o, &undo); err != nil {
		return nil, err
	}
	ways, sessions, pools := h.options(c, o)
	if o.tune != nil {
		o.tune(&ways, &sessions, &pools)
	}
	h.pool = pool.NewSet(pools)
	undo.Add(h.pool.Close)
	ways.Prepared = h.prepare(o.backend, o.logger, &undo)
	ways.Pools = map[string]controller.Sandboxes{o.backend: h.pool}
	if h.controller, err = controller.New(ways); err != nil {
		return nil, err
	}
	if h.sessions, err = session.New(sessions); err != nil {
		return nil, err
	}
	undo.Add(h.sessions.Close)
	h.undo = undo.Release()
	return h, nil
}

// openChain makes the checks before a run, with the blocks of the state directory.
func (h *house) openChain(c *config, o houseOptions, undo *cleanup.Stack) (err error) {
	parsers := policy.NewCheckers(policy.CheckersOptions{Open: policy.Behind(h.backend, o.degraded), Logger: o.logger})
	undo.Add(parsers.Close)
	if o.blocks == nil {
		o.blocks = &policy.Blocks{}
	}
	if err := c.readBlocks(o.blocks); err != nil {
		return err
	}
	ways := policy.Options{Parser: parsers, Blocks: o.blocks, Rules: o.rules, Logger: o.logger}
	if err := o.review.into(&ways); err != nil {
		return err
	}
	h.chain, err = policy.New(ways)
	return err
}

// options are those of the command line.
func (h *house) options(c *config, o houseOptions) (controller.Options, session.Options, pool.SetOptions) {
	ways := controller.Options{
		Backend: o.backend, Environments: h.environments, Environment: o.environment, Check: checkWith(h.chain), Restrict: restrictBy(h.chain),
		MergeDatasets: dataset.Merge, Harvester: h.artifacts, Observe: observe.Tell, Recorder: o.records,
		Follow: func() controller.Follower { return h.artifacts.Follow() },
		Logs:   c.inState("logs"), Logger: o.logger,
		SinkPatience: time.Hour, // a pager that waits for its reader is no failure
	}
	if !o.service {
		ways.Check, ways.Environments = c.unlessLocked(ways.Check), openEnvironments{h.environments, c}
	}
	sessions := session.Options{
		Open: h.openSession, Beside: h.besideSession, Logger: o.logger,
		Meter: func(cellwall.Identity) session.Meter { return quota.NewMeter(o.budget) },
		Idle:  terminalLife, Total: terminalLife,
	}
	return ways, sessions, pool.SetOptions{Backend: h.backend, Pool: pool.Options{Target: o.ready, Logger: o.logger}}
}

// Close ends everything, the last room first.
func (h *house) Close() error { return h.undo.Run() }

func stateError(c *config, err error) error {
	return &cellwall.Error{
		Code: cellwall.CodeInternal, Op: "open state directory " + c.StateDir, Err: err,
		Hint: "make it writable, or choose another with --state-dir or CELLWALL_STATE_DIR",
	}
}

func openStore(c *config) *environment.Store { return environment.Open(c.StateDir, environments.FS) }

// rememberedEnvironments answers from memory after the first time: an
// execution must not read the store's files again.
type rememberedEnvironments struct {
	store *environment.Store
	seen  sync.Map // name → cellwall.Environment
}

func (r *rememberedEnvironments) Open(name string) (cellwall.Environment, error) {
	if env, ok := r.seen.Load(name); ok {
		return env.(cellwall.Environment), nil
	}
	env, err := r.store.Open(name)
	if err == nil {
		r.seen.Store(name, env)
	}
	return env, err
}

// forget has the store's files read again: an environment may have been built
// anew meanwhile.
func (r *rememberedEnvironments) forget() { r.seen.Clear() }

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/internal/cleanup"
	"github.com/cellwall/cellwall/internal/filelock"
	"github.com/cellwall/cellwall/notify"
	"github.com/cellwall/cellwall/policy"
	"github.com/cellwall/cellwall/pool"
	"github.com/cellwall/cellwall/queue"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/session"
	"github.com/cellwall/cellwall/telemetry"
)

// service is everything of a running "cellwall serve". Each room is opened by a
// method in a file of its own, in the order of start, and pushes its end onto undo.
type service struct {
	program  *program
	config   *config
	settings *serveSettings
	verb     *serveVerb
	log      *slog.Logger
	level    *slog.LevelVar
	undo     cleanup.Stack

	metrics    *telemetry.Metrics
	traces     *telemetry.Traces // nil where they go nowhere
	records    *audit.Log
	kept       *kept
	bus        *notify.Bus
	key        *audit.Key // signs receipts
	house      *house
	gate       *gate
	lockdown   sync.Mutex // held while the file is followed
	locked     *lockdown
	seen       sayer                 // of what the service acts on
	looked     bool                  // at the file, at least once
	blocks     policy.Blocks         // code that stays refused
	blocksSeen fs.FileInfo           // of the file that they are from; nil = there is none
	usable     atomic.Pointer[error] // why the default backend cannot run; nil = not known yet
	desk       *quota.Desk
	masks      *masks
	sources    *sources
	queue      *queue.Queue
	tools      *toolboxes
	api        *api.Server
	closeAPI   func() error // once
	closeMCP   func()
	listeners  *listeners
}

// start opens room after room, the one that others rest on first.
func (s *service) start(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, s.undo.Run())
		}
	}()
	for _, step := range []struct {
		name string
		open func(context.Context) error
	}{
		{"lock", s.lock},
		{"telemetry", s.openTelemetry},
		{"records", s.openRecords},
		{"kept", s.openKept},
		{"queue", s.openQueue},
		{"desk", s.openDesk},
		{"notices", s.openNotify},
		{"lost sessions", s.loseSessions},
		{"gate", s.openGate},
		{"spool", s.openSpool},
		{"sources", s.openSources},
		{"house", s.openHouse},
		{"measuring", s.startMeasuring},
		{"lockdown", s.watchLockdown},
		{"housekeeping", s.startHousekeeping},
		{"tools", s.openTools},
		{"api", s.openAPI},
		{"work left behind", func(ctx context.Context) error { return s.api.Resume(ctx) }},
		{"approvals", s.expireApprovals},
		{"metrics", s.openMetrics},
		{"listeners", s.openListeners},
	} {
		if err := step.open(ctx); err != nil {
			return fmt.Errorf("start service: %w", err)
		}
		s.log.Debug("started", "part", step.name)
	}
	return nil
}

// lock makes this the only service of the state directory.
func (s *service) lock(ctx context.Context) error {
	if err := os.MkdirAll(s.config.StateDir, 0o755); err != nil {
		return stateError(s.config, err)
	}
	lock, err := filelock.Open(s.config.inState("serve.lock"), 0o600)
	for range lockTries { // who looks whether a service runs holds it for a moment
		if !errors.Is(err, filelock.ErrHeld) || !pauseFor(ctx, 20*time.Millisecond) {
			break
		}
		lock, err = filelock.Open(s.config.inState("serve.lock"), 0o600)
	}
	if errors.Is(err, filelock.ErrHeld) {
		return &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "lock " + s.config.StateDir, Err: errors.New("a service runs there already"),
			Hint: "end it, or choose another state directory with --state-dir",
		}
	}
	if err != nil {
		return stateError(s.config, err)
	}
	s.undo.Add(lock.Close)
	if err := os.Remove(s.config.seenFile()); err != nil && !errors.Is(err, fs.ErrNotExist) { // another one said it
		return stateError(s.config, err)
	}
	return nil
}

// lockTries is how often the lock is tried again.
const lockTries = 5

func (s *service) openRecords(context.Context) (err error) {
	if s.records, err = audit.Open(s.config.inState("records")); err != nil {
		return stateError(s.config, err)
	}
	s.undo.Add(s.records.Close)
	if s.key, err = s.config.signingKey(); err != nil {
		return err
	}
	if err := s.records.Guard(auditReserve); err != nil {
		return stateError(s.config, err)
	}
	return nil
}

// auditReserve is room for the records of what runs when the disk is full.
const auditReserve = 4 << 20

// storePatience is how long the gate waits for a store that is tried again.
const storePatience = 2 * time.Second

func (s *service) openGate(context.Context) error {
	s.gate = newGate(s.config.lockdownThere, func() error {
		if err := s.records.Healthy(); err != nil || s.kept == nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), storePatience)
		defer cancel()
		return s.kept.Healthy(ctx)
	})
	return nil
}

// openSpool makes the directory for files of requests. They have no names in it:
// whatever stands there is of no use to anybody.
func (s *service) openSpool(context.Context) error {
	dir := s.config.inState("spool")
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return stateError(s.config, err)
	}
	return nil
}

// openHouse wires the rooms that run code, and has the default environment warm
// up behind the start.
func (s *service) openHouse(ctx context.Context) (err error) {
	set := s.settings
	s.house, err = s.program.openHouse(s.config, houseOptions{
		backend: set.Backend, environment: set.Environment, ready: set.Ready,
		review: set.Review, service: true, blocks: &s.blocks, logger: s.log, records: s.records, tune: s.tune,
		rules: (&tenantRules{terms: func(tenant string) string { return s.terms(tenant).Rules }, log: s.log}).of,
	})
	if err != nil {
		return err
	}
	s.undo.Add(s.house.Close)
	warming, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.warm(warming)
	}()
	s.undo.Add(func() error { cancel(); <-done; return nil })
	s.startSizing(s.house.pool)
	return nil
}

// tune makes the house a service's.
func (s *service) tune(ways *controller.Options, sessions *session.Options, pools *pool.SetOptions) {
	ways.Trace = s.stage
	pools.Backend = timedBackend{pools.Backend, s.metrics}
	ways.SinkPatience = 30 * time.Second
	s.kept.into(ways)
	ways.Admission = s.admission()
	ways.Mask = s.masks.of
	ways.Recorder = noted{counted{watched{told{ways.Recorder, s.bus}, s.desk}, s.metrics}, s.log, s.logCode()}
	sessions.Open, sessions.Beside = s.cutSessions(sessions.Open), s.cutForks(sessions.Beside)
	sessions.Idle, sessions.Total = s.settings.SessionIdle, s.settings.SessionTotal
	sessionTerms(sessions, s.tenant)
	s.countBetween(sessions)
	sessionsTold{s.kept.Store, s.bus, s.log, s.settings.SessionTotal, s.gate.stopping}.tell(sessions)
}

// warm has an interpreter and sandboxes of the default kind ready, and finds out
// whether the backend can run at all.
func (s *service) warm(ctx context.Context) {
	pause := time.Second
	for {
		err := s.warmOnce(ctx)
		s.usable.Store(&err)
		if err == nil {
			s.log.Info("ready", "environment", s.settings.Environment)
			return
		}
		s.log.Error("the default backend cannot run", "backend", s.settings.Backend, "error", err, "hint", cellwall.HintOf(err))
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		pause = min(2*pause, time.Minute)
	}
}

func (s *service) warmOnce(ctx context.Context) error {
	env, err := s.house.environments.Open(s.settings.Environment)
	if err != nil {
		return unknownEnvironment(s.house.environments.store, s.settings.Environment, err)
	}
	spec := cellwall.Spec{Environment: env, Limits: cellwall.DefaultLimits()}
	if w, ok := s.house.backend.(warmer); ok {
		if err := w.Warm(ctx, spec); err != nil {
			return fmt.Errorf("warm up %s: %w", env.Name, err)
		}
	} else if report := s.house.backend.Probe(ctx); !report.Usable {
		return errors.New("its protections are missing: see cellwall doctor")
	}
	s.house.pool.Prepare(spec)
	return nil
}

// ready is nil while the service can take work: its backend runs, its records
// can be written, and it is not stopping.
func (s *service) ready(context.Context) error {
	usable := s.usable.Load()
	switch {
	case usable == nil:
		return errors.New("it is warming up")
	case *usable != nil:
		return *usable
	}
	err := s.gate.Open()
	if cellwall.CodeOf(err) == cellwall.CodeLockedDown {
		return nil // it can be read, and unlocked
	}
	return err
}

func (s *service) openListeners(ctx context.Context) (err error) {
	s.listeners, err = openListeners(ctx, s.settings, s.socket(), s.server())
	if err != nil {
		return err
	}
	s.undo.Add(s.listeners.Close)
	s.listeners.serve()
	return nil
}

// server is the API's, with the calls of work counted.
func (s *service) server() *http.Server {
	server := s.api.HTTP()
	server.Handler = s.gate.counted(server.Handler)
	return server
}

// socket is where local callers connect.
func (s *service) socket() string {
	if s.settings.Socket != "" {
		return s.settings.Socket
	}
	return filepath.Join(s.config.StateDir, socketName)
}

// socketName is the socket's name in the state directory.
const socketName = "cellwall.sock"

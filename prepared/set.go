package prepared

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Defaults of Options.
const (
	DefaultPerTenant   = 4
	DefaultMost        = 16
	DefaultTenantBytes = cellwall.GiB
	DefaultBytes       = 4 * cellwall.GiB
	DefaultIdle        = 10 * time.Minute
	DefaultWorth       = 100 * time.Millisecond
	DefaultAtOnce      = 1
)

// Bounds that nobody chooses.
const (
	enough     = 2 // times parsed in place before a template is made
	maxWaiting = 8 // preparations that wait for their turn
	maxKnown   = 4096
	retryAfter = time.Minute
)

// Options say what is kept. Backend is required; other zero values mean the
// defaults.
type Options struct {
	Backend     cellwall.Templater
	PerTenant   int           // templates of one tenant
	Most        int           // of all tenants
	TenantBytes int64         // of memory, for the templates of one tenant
	Bytes       int64         // of all
	Idle        time.Duration // until one that nobody uses goes
	Worth       time.Duration // what parsing in place has to take
	AtOnce      int           // made at a time
	Logger      *slog.Logger  // nil = silent
}

func (o Options) withDefaults() Options {
	def := func(field *int, n int) {
		if *field <= 0 {
			*field = n
		}
	}
	def(&o.PerTenant, DefaultPerTenant)
	def(&o.Most, DefaultMost)
	def(&o.AtOnce, DefaultAtOnce)
	if o.TenantBytes <= 0 {
		o.TenantBytes = DefaultTenantBytes
	}
	if o.Bytes <= 0 {
		o.Bytes = DefaultBytes
	}
	if o.Idle <= 0 {
		o.Idle = DefaultIdle
	}
	if o.Worth <= 0 {
		o.Worth = DefaultWorth
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Set is the datasets of one backend. It is safe for concurrent use.
type Set struct {
	opts   Options
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	turns  chan struct{} // one per preparation at a time
	work   sync.WaitGroup

	mu      sync.Mutex
	known   map[key]*dataset
	waiting int // preparations under way or waiting
	counts  Counts
	closed  bool
}

// New returns an empty set. Close ends it, before its backend is closed.
func New(o Options) *Set {
	o = o.withDefaults()
	s := &Set{opts: o, turns: make(chan struct{}, o.AtOnce), known: map[key]*dataset{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Choose returns the name of the template that serves spec and its inputs, ""
// when they are parsed in place; why then says what keeps them from being
// prepared, nil when nobody has tried.
func (s *Set) Choose(spec cellwall.Spec) (name string, why error) {
	k, ok := keyOf(spec)
	if !ok {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.known[k]
	if d == nil {
		return "", nil
	}
	d.used = time.Now()
	if d.template.Name == "" {
		return "", d.failure
	}
	s.counts.Served++
	return d.template.Name, nil
}

// Parsed says that a sandbox of spec parsed its inputs, copying them included,
// and how long that took. It may have a template made, for which spec's inputs
// have to be open until it returns.
func (s *Set) Parsed(spec cellwall.Spec, took time.Duration) {
	k, ok := keyOf(spec)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	d := s.remember(k, spec)
	d.parsed++
	d.took = took
	if d.parsed >= enough && took >= s.opts.Worth {
		s.start(d, spec)
	}
}

// Lost says that the template of spec that Choose named could not be opened: its
// zygote has died. Another one is made; spec's inputs have to be open until Lost
// returns.
func (s *Set) Lost(spec cellwall.Spec, name string) {
	k, ok := keyOf(spec)
	if !ok {
		return
	}
	s.mu.Lock()
	d := s.known[k]
	if d == nil || d.template.Name != name { // somebody else said so
		s.mu.Unlock()
		return
	}
	s.opts.Logger.Warn("a prepared dataset is lost", "template", name, "tenant", k.tenant)
	s.counts.Lost++
	ended := d.clear()
	s.start(d, spec)
	s.mu.Unlock()
	s.forget(ended) // a backend that knows it all the same lets it go
}

// Prepare has a template of spec and its inputs made, unless there is one or it
// is on its way, and waits for it. It fails as cellwall.Templater's Prepare does,
// and with CodeBadRequest when the content of an input is not known.
func (s *Set) Prepare(ctx context.Context, spec cellwall.Spec) error {
	k, ok := keyOf(spec)
	if !ok {
		return refuse(cellwall.CodeBadRequest, errors.New("the content of an input is not known"), "store the file first")
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return refuse(cellwall.CodeDraining, errors.New("the set is closed"), "")
	}
	d := s.remember(k, spec)
	d.retry = time.Time{} // asked for, not guessed
	flight := s.start(d, spec)
	s.mu.Unlock()
	if flight != nil {
		select {
		case <-flight:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return s.outcome(d)
}

// outcome says whether d has a template.
func (s *Set) outcome(d *dataset) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case d.template.Name != "":
		return nil
	case d.failure != nil:
		return d.failure
	}
	return refuse(cellwall.CodeBusy, errors.New("other datasets are being prepared"), "try again")
}

func refuse(code cellwall.ErrorCode, why error, hint string) error {
	return &cellwall.Error{Code: code, Op: "prepare dataset", Err: why, Hint: hint}
}

// Close has what is being made ended, and forgets every template.
func (s *Set) Close() error {
	s.mu.Lock()
	s.closed = true
	s.cancel()
	s.mu.Unlock()
	s.work.Wait()
	s.dropIf(func(*dataset) bool { return true })
	return nil
}

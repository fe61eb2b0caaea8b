package pool

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
	DefaultFillers    = 2
	DefaultDestroyers = 16
	DefaultMinPause   = 100 * time.Millisecond
	DefaultMaxPause   = 10 * time.Second
)

// Options say how a pool is kept. Open is required; other zero values mean the
// defaults.
type Options struct {
	Open       func(context.Context) (cellwall.Sandbox, error) // opens one that nobody used
	Ahead      func(context.Context) (cellwall.Sandbox, error) // the same while nobody waits for it; nil = Open
	Target     int                                             // ready sandboxes to keep; 0 = none, every claim opens
	Fillers    int                                             // sandboxes opened ahead at once
	Destroyers int                                             // sandboxes closed at once
	MinPause   time.Duration                                   // after the first failure of the filler
	MaxPause   time.Duration
	Logger     *slog.Logger // nil = silent
}

func (o Options) withDefaults() Options {
	if o.Fillers <= 0 {
		o.Fillers = DefaultFillers
	}
	if o.Destroyers <= 0 {
		o.Destroyers = DefaultDestroyers
	}
	if o.MinPause <= 0 {
		o.MinPause = DefaultMinPause
	}
	if o.MaxPause < o.MinPause {
		o.MaxPause = max(DefaultMaxPause, o.MinPause)
	}
	if o.Ahead == nil {
		o.Ahead = o.Open
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Pool holds ready sandboxes of one kind. It is safe for concurrent use.
type Pool struct {
	opts   Options
	ctx    context.Context // ends the filler's opens
	cancel context.CancelFunc
	slots  chan struct{} // one per sandbox being closed in the background

	mu       sync.Mutex
	target   int                // Options.Target, or what Resize said last
	ready    []cellwall.Sandbox // oldest first
	filling  int                // opens by the filler under way
	failures int                // of the filler in a row
	pause    *time.Timer        // set while the filler waits after a failure
	held     bool               // by Hold
	closed   bool
	work     sync.WaitGroup // fillers, direct opens, destroyers; Add only under mu while open
	counts   Counts
}

// New returns a pool and starts to fill it. Close ends it.
func New(opts Options) *Pool { return start(opts, false) }

// start is New, held or not.
func start(opts Options, held bool) *Pool {
	opts = opts.withDefaults()
	p := &Pool{opts: opts, target: opts.Target, held: held, slots: make(chan struct{}, opts.Destroyers)}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fill()
	return p
}

// errDraining is what Claim answers after Close.
func errDraining() error {
	return &cellwall.Error{Code: cellwall.CodeDraining, Op: "claim sandbox", Err: errors.New("the pool is closed")}
}

// Close destroys what is ready, waits for what is being opened or destroyed,
// and returns the errors of closing joined. Sandboxes that are claimed stay
// open; their claimers still give them to Destroy.
func (p *Pool) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	p.cancel()
	if p.pause != nil {
		p.pause.Stop()
	}
	ready := p.ready
	p.ready = nil
	p.mu.Unlock()

	p.work.Wait()
	return p.closeAll(ready)
}

// closeAll closes several at once, as the background does.
func (p *Pool) closeAll(ready []cellwall.Sandbox) error {
	errs := make([]error, len(ready))
	var wg sync.WaitGroup
	for i, sb := range ready {
		p.slots <- struct{}{}
		wg.Go(func() {
			errs[i] = p.close(sb)
			<-p.slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

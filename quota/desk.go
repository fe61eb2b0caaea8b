package quota

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cellwall/cellwall"
)

// Options wire a desk. Book is required.
type Options struct {
	Book     Book
	Config   []cellwall.Tenant // they win over the book's
	Defaults cellwall.Terms    // of what a tenant's terms leave open

	Backend     string // the default one, for terms that name none
	Environment string // the default one

	Quarantine Quarantine
	Logger     *slog.Logger // nil = silent

	// Loaded is told of each revision of the book that is in force from now on. It
	// must not ask the desk. Nil = nobody hears.
	Loaded func(revision int64)
}

// The paces of a desk.
const (
	lookEvery  = 500 * time.Millisecond // for changes in the book
	writeEvery = time.Second            // what was used
	bookTime   = 10 * time.Second       // for one look or write
)

// Desk is asked before anything runs, and told after. It is safe for concurrent
// use.
type Desk struct {
	opts      Options
	directory atomic.Pointer[directory]
	hearer    atomic.Pointer[func(cellwall.Happening)]
	end       context.CancelFunc
	ended     chan struct{}

	loading sync.Mutex // orders load and Reload
	booked  booked
	config  []cellwall.Tenant

	mu       sync.Mutex          // taken before that of an account
	accounts map[string]*account // by tenant

	books    sync.Mutex         // taken after that of an account
	budgets  map[holder]*period // of tenants and subjects that have used some
	subjects map[string]int     // of them, by tenant
	usage    map[slot]*cellwall.UsageRow
}

// New reads the book and begins to follow it. Close ends that.
func New(ctx context.Context, opts Options) (*Desk, error) {
	if opts.Book == nil {
		return nil, errors.New("make desk: no book")
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	opts.Quarantine = opts.Quarantine.withDefaults()
	d := &Desk{
		opts: opts, config: opts.Config, ended: make(chan struct{}),
		accounts: map[string]*account{}, budgets: map[holder]*period{}, subjects: map[string]int{}, usage: map[slot]*cellwall.UsageRow{},
	}
	if err := d.load(ctx); err != nil {
		return nil, err
	}
	if err := d.loadBudgets(ctx); err != nil {
		return nil, err
	}
	background, end := context.WithCancel(context.Background())
	d.end = end
	go d.follow(background)
	return d, nil
}

// Hear has tell know of tenants that go into quarantine and come out of it, from
// now on. It must not wait.
func (d *Desk) Hear(tell func(cellwall.Happening)) { d.hearer.Store(&tell) }

// follow looks and writes until the desk is closed.
func (d *Desk) follow(ctx context.Context) {
	defer close(d.ended)
	for written := time.Now(); pause(ctx, lookEvery); {
		err := d.look(ctx)
		if now := time.Now(); now.Sub(written) >= writeEvery {
			written = now
			err = errors.Join(err, d.write(ctx), d.sentence(ctx))
			d.tidy(now)
			d.tidyBudgets(now)
		}
		if err != nil && ctx.Err() == nil {
			d.opts.Logger.Error("keep the books", "error", err)
		}
	}
}

// pause waits, and reports whether ctx goes on. It asks no channel of a timer:
// under the race detector those crash Go 1.26's runtime on a test's own clock.
func pause(ctx context.Context, d time.Duration) bool {
	over, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-over.Done()
	return ctx.Err() == nil
}

// look reads the book again when it has changed.
func (d *Desk) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bookTime)
	defer cancel()
	revision, err := d.opts.Book.Revision(ctx)
	if err != nil {
		return fmt.Errorf("look for changes of tenants: %w", err)
	}
	if revision == d.directory.Load().revision {
		return nil
	}
	return d.load(ctx)
}

// Close ends the following and writes what was used since the last time.
func (d *Desk) Close() error {
	d.end()
	<-d.ended
	return d.write(context.Background())
}

// Authenticate returns whose key it is, in constant time.
func (d *Desk) Authenticate(_ context.Context, key string) (cellwall.Identity, error) {
	return d.directory.Load().authenticate(key, time.Now())
}

// Revision is that of the book which is in force.
func (d *Desk) Revision() int64 { return d.directory.Load().revision }

func unknown(what string) error {
	return &cellwall.Error{Code: cellwall.CodeNotFound, Op: "find " + what, Err: errors.New("there is none")}
}

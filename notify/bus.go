package notify

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cellwall/cellwall"
)

// Book keeps events, webhooks and rules. Package store has it.
type Book interface {
	// AppendEvent gives the event its Seq and makes it due for every webhook of
	// its tenant that wants its kind, in one step.
	AppendEvent(context.Context, cellwall.Happening) (cellwall.Happening, error)
	// Events lists up to n behind after, oldest first.
	Events(ctx context.Context, tenant string, after uint64, n int) ([]cellwall.Happening, error)
	// Due hands out up to n deliveries whose time has come, and to nobody else for
	// a minute.
	Due(ctx context.Context, now time.Time, n int) ([]cellwall.DueDelivery, error)
	Tried(context.Context, cellwall.Delivery) error
	// PauseWebhook sets the state of a webhook that is still there.
	PauseWebhook(ctx context.Context, tenant, id string) error
	// Alerts lists the rules of a tenant; of all of them for "".
	Alerts(ctx context.Context, tenant string) ([]cellwall.AlertRule, error)
	// NoteAlert sets the State of a rule that is still there.
	NoteAlert(context.Context, cellwall.AlertRule) error
}

// Options say how a Bus works. Book is required; other zero values mean the
// defaults.
type Options struct {
	Book         Book
	AllowPrivate bool                                     // webhooks may lead to private addresses, and without TLS
	Operator     func(tenant string) bool                 // whose rules count everybody; nil = cellwall.LocalTenant
	Queue        func() (waiting int, wait time.Duration) // as it is now, for rules; nil = there is none
	Line         int                                      // events that wait to be kept; 16,384
	Senders      int                                      // deliveries at once; 8
	PerTenant    int                                      // of one tenant; 2
	Poll         time.Duration                            // how often the book is asked what other processes wrote; 1 s
	Transport    http.RoundTripper                        // nil = one that dials as the package promises
	Logger       *slog.Logger                             // nil = silent
	jitter       func(time.Duration) time.Duration        // of tests
}

func (o Options) withDefaults() Options {
	if o.Operator == nil {
		o.Operator = func(tenant string) bool { return tenant == cellwall.LocalTenant }
	}
	if o.Line <= 0 {
		o.Line = 16_384
	}
	if o.Senders <= 0 {
		o.Senders = 8
	}
	if o.PerTenant <= 0 {
		o.PerTenant = 2
	}
	if o.Poll <= 0 {
		o.Poll = time.Second
	}
	if o.Transport == nil {
		o.Transport = transport(o.AllowPrivate)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.jitter == nil {
		o.jitter = jitter
	}
	return o
}

// Bus takes events and passes them on. It is safe for concurrent use.
type Bus struct {
	opts   Options
	line   chan cellwall.Happening
	lost   atomic.Int64
	tried  tried
	due    chan struct{} // holds one: something may be due
	alerts *alerts
	quit   context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	waiting map[string]*round // of tenants
}

// Open returns a Bus that works until it is closed. It fails when the rules cannot
// be read.
func Open(ctx context.Context, o Options) (*Bus, error) {
	if o.Book == nil {
		return nil, errors.New("open notices: there is no book")
	}
	o = o.withDefaults()
	b := &Bus{
		opts: o, line: make(chan cellwall.Happening, o.Line), due: make(chan struct{}, 1), waiting: map[string]*round{},
	}
	b.alerts = newAlerts(o, b.Tell)
	if err := b.alerts.load(ctx); err != nil {
		return nil, err
	}
	running, quit := context.WithCancel(context.WithoutCancel(ctx))
	b.quit = quit
	b.work.Go(b.keep)
	b.work.Go(func() { b.deliver(running) })
	b.work.Go(func() { b.alerts.run(running) })
	return b, nil
}

// Tell passes an event on and waits for nothing. ID and At are made when the
// event has none; its Seq comes from the book.
func (b *Bus) Tell(h cellwall.Happening) {
	if h.ID == "" {
		h.ID = cellwall.NewID(cellwall.PrefixEvent)
	}
	if h.At.IsZero() {
		h.At = time.Now().UTC()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	select {
	case b.line <- h:
	default:
		if n := b.lost.Add(1); n&(n-1) == 0 { // at 1, 2, 4, …: a flood must not fill the log
			b.opts.Logger.Warn("tell event: the line is full", "lost", n)
		}
	}
}

// Kept says that events of a tenant were kept already, in the step that they tell
// of: readers and senders look.
func (b *Bus) Kept(tenant string) { b.wake(tenant) }

// Lost is how many events found no room since the beginning.
func (b *Bus) Lost() int64 { return b.lost.Load() }

// keep writes what is told, in order, and wakes those who wait for it.
func (b *Bus) keep() {
	for h := range b.line {
		kept, err := b.opts.Book.AppendEvent(context.Background(), h)
		if err != nil {
			b.lost.Add(1)
			b.opts.Logger.Error("keep event", "kind", h.Kind, "tenant", h.Tenant, "error", err)
			continue
		}
		b.wake(kept.Tenant)
	}
}

// wake tells readers and senders that something came.
func (b *Bus) wake(tenant string) {
	b.mu.Lock()
	if r := b.waiting[tenant]; r != nil {
		close(r.over)
		delete(b.waiting, tenant)
	}
	b.mu.Unlock()
	b.look()
}

// look has the senders ask what is due.
func (b *Bus) look() {
	select {
	case b.due <- struct{}{}:
	default:
	}
}

// Close keeps what waits in the line, and gives up deliveries that are under way:
// they are tried again when the next process opens the book.
func (b *Bus) Close() error {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		close(b.line)
	}
	b.mu.Unlock()
	b.quit()
	b.work.Wait()
	return nil
}

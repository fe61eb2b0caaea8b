package fetch

import (
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Options are how fetches are done. Zero fields are the defaults.
type Options struct {
	Dir        string         // for files without names; "" = the system's
	Resolver   Resolver       // nil = the host's
	Roots      *x509.CertPool // nil = the host's
	Private    []netip.Prefix // networks beside the internet that may be dialled
	Patience   time.Duration  // for an answer to a name, a connection, a handshake, a header; 0 = 10 s
	Pause      time.Duration  // between two pieces of a body; 0 = 10 s
	Time       time.Duration  // of a whole fetch; 0 = 60 s
	AtOnce     int            // fetches, of one tenant; 0 = 4
	CacheBytes int64          // of all tenants; 0 = 256 MiB, < 0 = nothing is kept
}

// Fetcher fetches. It is safe for concurrent use.
type Fetcher struct {
	opts  Options
	cache *cache

	mu   sync.Mutex
	busy map[string]int // fetches of each tenant
}

// New returns a fetcher. Close gives back what it keeps.
func New(o Options) *Fetcher {
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	for value, standard := range map[*time.Duration]time.Duration{&o.Patience: 10 * time.Second, &o.Pause: 10 * time.Second, &o.Time: time.Minute} {
		if *value <= 0 {
			*value = standard
		}
	}
	if o.AtOnce <= 0 {
		o.AtOnce = 4
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 256 * cellwall.MiB
	}
	return &Fetcher{opts: o, cache: newCache(o.CacheBytes), busy: map[string]int{}}
}

// Close forgets what is kept.
func (f *Fetcher) Close() error { return f.cache.close() }

// Ask is what somebody wants to have.
type Ask struct {
	Who      cellwall.Identity
	URL      string
	Hosts    Hosts // of its tenant's terms
	MaxBytes int64 // 0 = the room that an execution has for its inputs
}

// Fetch brings a file, see doc.go. The entry is filled in whatever comes of it. The
// caller closes what it is given.
func (f *Fetcher) Fetch(ctx context.Context, ask Ask) (got *Fetched, entry Entry, err error) {
	entry = newEntry(ask)
	defer func() { entry.end(got, err) }()
	leave, err := f.enter(ask.Who.Tenant)
	if err != nil {
		return nil, entry, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, f.opts.Time)
	defer cancel()
	if ask.MaxBytes <= 0 {
		ask.MaxBytes = cellwall.DefaultLimits().InputBytes
	}
	got, err = f.follow(ctx, ask, &entry)
	return got, entry, err
}

// enter takes one of the tenant's places.
func (f *Fetcher) enter(tenant string) (leave func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.busy[tenant] >= f.opts.AtOnce {
		return nil, &cellwall.Error{
			Code: cellwall.CodeRateLimited, Op: opFetch, Err: errBusy, Hint: "wait for the others", RetryAfter: time.Second,
		}
	}
	f.busy[tenant]++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.busy[tenant]--; f.busy[tenant] == 0 {
			delete(f.busy, tenant)
		}
	}, nil
}

package probe

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/cellwall/cellwall/linux/cgroup"
)

// Options is how to probe. The zero value leaves out what needs a child.
type Options struct {
	// Self is the command line that ends up in Child, for instance
	// {"/proc/self/exe", "probe-child"}. Without it the facts that need a child
	// are not OK and say so.
	Self []string
	// Timeout bounds one child; 0 means 30 s.
	Timeout time.Duration
}

// Prober keeps conclusive answers. It is safe for concurrent use.
type Prober struct {
	opts Options

	mu    sync.Mutex
	known map[string]Fact
}

// New returns a Prober that has not tried anything yet.
func New(opts Options) *Prober {
	if opts.Timeout <= 0 {
		opts.Timeout = 30 * time.Second
	}
	return &Prober{opts: opts, known: make(map[string]Fact)}
}

// Facts returns all facts in the order of the Names. An error means that ctx
// ended or that this is no Linux with /proc; what a host cannot do is a Fact.
func Facts(ctx context.Context, opts Options) ([]Fact, error) { return New(opts).Facts(ctx) }

// Facts is the package's Facts with what this Prober knows already.
func (p *Prober) Facts(ctx context.Context) ([]Fact, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, err := cgroup.Detect()
	if err != nil {
		return nil, fmt.Errorf("probe host: %w", err)
	}
	// The kernel ends our children when the thread that started them ends: keep it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var facts []Fact
	for _, a := range attempts(h) {
		f, known := p.known[a.name]
		if !known {
			f = a.run(ctx, p.opts)
			if !f.passing {
				p.known[a.name] = f
			}
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("probe host: %w", context.Cause(ctx))
		}
		facts = append(facts, f)
	}
	return facts, nil
}

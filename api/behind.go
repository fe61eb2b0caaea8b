package api

import (
	"context"
	"fmt"
	"sync"

	"github.com/cellwall/cellwall"
)

// atOnce is how much work left behind by one tenant runs at a time: the rest
// stays queued, where a service that stops loses none of it.
const atOnce = 4

// behind counts the work that calls left behind, for each tenant.
type behind struct {
	mu      sync.Mutex
	tenants map[string]*shelfOf
}

// shelfOf is one tenant's.
type shelfOf struct {
	all    int           // not done
	places chan struct{} // of those that run
}

func newBehind() *behind { return &behind{tenants: map[string]*shelfOf{}} }

// take counts one more, unless the tenant has most already.
func (b *behind) take(tenant string, most int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.of(tenant); t.all < most {
		t.all++
		return nil
	}
	return &cellwall.Error{
		Code: cellwall.CodeRateLimited, Op: "leave work behind", Err: fmt.Errorf("%d executions are not done already", most),
		Hint: "wait until some are",
	}
}

// adopt counts one that was accepted before.
func (b *behind) adopt(tenant string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of(tenant).all++
}

func (b *behind) of(tenant string) *shelfOf {
	t := b.tenants[tenant]
	if t == nil {
		t = &shelfOf{places: make(chan struct{}, atOnce)}
		b.tenants[tenant] = t
	}
	return t
}

// give takes one off that is done.
func (b *behind) give(tenant string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.tenants[tenant]; t != nil {
		if t.all--; t.all <= 0 {
			delete(b.tenants, tenant)
		}
	}
}

// enter waits for one of the tenant's places.
func (b *behind) enter(ctx context.Context, tenant string) (leave func(), err error) {
	b.mu.Lock()
	places := b.of(tenant).places
	b.mu.Unlock()
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

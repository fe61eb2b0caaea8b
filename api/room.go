package api

import (
	"errors"
	"sync"
)

// room is something that calls share: memory for bodies, places, bytes on their way
// to the disk. A tenant has no more of it than its share, so that who takes all it
// can get leaves enough for the others.
type room struct {
	most int64 // of all tenants together; 0 = their shares are the only bound

	mu   sync.Mutex
	all  int64
	each map[string]int64
}

func newRoom(most int64) *room { return &room{most: most, each: map[string]int64{}} }

// Why a room has nothing to give.
var (
	errFull  = errors.New("the room is full")
	errShare = errors.New("the tenant has its share")
)

// take gives a tenant n more, of which it may have share together.
func (r *room) take(tenant string, n, share int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.most > 0 && r.all+n > r.most: // first: nobody else would get it either
		return errFull
	case r.each[tenant]+n > share:
		return errShare
	}
	r.count(tenant, n)
	return nil
}

// count gives a tenant n more, whatever it has. The caller holds mu.
func (r *room) count(tenant string, n int64) {
	r.all += n
	r.each[tenant] += n
}

// give takes n back.
func (r *room) give(tenant string, n int64) {
	if n == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all -= n
	if r.each[tenant] -= n; r.each[tenant] <= 0 {
		delete(r.each, tenant)
	}
}

// of is what a tenant has.
func (r *room) of(tenant string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.each[tenant]
}

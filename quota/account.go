package quota

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/cellwall/cellwall"
)

// account is what a tenant does now.
type account struct {
	mu       sync.Mutex
	own      place
	subjects map[string]*place // those that are not idle
	hits     hits
	judged   string // why it is in quarantine, until that is in the book
	gone     bool   // nobody finds it any more
}

// place is a rate and the executions that run, of a tenant or a subject.
type place struct {
	limiter *rate.Limiter // nil = nothing was asked of it yet
	running int
}

// maxSubjects bounds the subjects of a tenant that are remembered at once.
const maxSubjects = 10_000

// lock returns the account of a tenant, locked.
func (d *Desk) lock(tenant string) *account {
	for {
		d.mu.Lock()
		a := d.accounts[tenant]
		if a == nil {
			a = &account{subjects: map[string]*place{}}
			d.accounts[tenant] = a
		}
		d.mu.Unlock()
		a.mu.Lock()
		if !a.gone {
			return a
		}
		a.mu.Unlock() // tidy was faster
	}
}

// subject returns the place of a subject, nil when none is named or its tenant's
// terms say nothing of subjects. The caller holds mu.
func (a *account) subject(name string, t *cellwall.Terms) (*place, error) {
	if name == "" || t.SubjectRate == (cellwall.Rate{}) && t.SubjectConcurrency == 0 {
		return nil, nil
	}
	p := a.subjects[name]
	if p != nil {
		return p, nil
	}
	if len(a.subjects) >= maxSubjects {
		a.forget(time.Now())
	}
	if len(a.subjects) >= maxSubjects {
		return nil, limited(fmt.Errorf("%d subjects of the tenant are busy", maxSubjects), time.Minute)
	}
	p = &place{}
	a.subjects[name] = p
	return p, nil
}

// forget drops the subjects that are idle. The caller holds mu.
func (a *account) forget(now time.Time) {
	for name, p := range a.subjects {
		if p.idle(now) {
			delete(a.subjects, name)
		}
	}
}

// idle reports whether a new place would be the same.
func (p *place) idle(now time.Time) bool {
	return p.running == 0 && (p.limiter == nil || p.limiter.TokensAt(now) >= float64(p.limiter.Burst()))
}

// take reserves one request, nil when there is no bound.
func (p *place) take(r cellwall.Rate, now time.Time) (*rate.Reservation, time.Duration) {
	if !(r.PerSecond > 0) {
		return nil, 0
	}
	limit, burst := rate.Limit(r.PerSecond), r.Burst
	if burst < 1 {
		burst = max(1, int(math.Ceil(min(r.PerSecond, 1e6))))
	}
	switch {
	case p.limiter == nil:
		p.limiter = rate.NewLimiter(limit, burst)
	case p.limiter.Limit() != limit || p.limiter.Burst() != burst: // the terms have changed
		p.limiter.SetLimitAt(now, limit)
		p.limiter.SetBurstAt(now, burst)
	}
	reserved := p.limiter.ReserveN(now, 1)
	return reserved, reserved.DelayFrom(now)
}

// Take counts one request against the rates of its subject and its tenant. What
// one of them refuses costs the other nothing.
func (d *Desk) Take(who cellwall.Identity) error {
	t, ok := d.directory.Load().tenants[who.Tenant]
	if !ok {
		return errKey
	}
	if t.Terms.Rate == (cellwall.Rate{}) && t.Terms.SubjectRate == (cellwall.Rate{}) {
		return nil
	}
	a, now := d.lock(who.Tenant), time.Now()
	defer a.mu.Unlock()
	s, err := a.subject(who.Subject, &t.Terms)
	if err != nil {
		return err
	}
	var first *rate.Reservation
	if s != nil {
		var wait time.Duration
		if first, wait = s.take(t.Terms.SubjectRate, now); wait > 0 {
			first.CancelAt(now)
			return limited(errors.New("more requests of the subject than its rate allows"), wait)
		}
	}
	if second, wait := a.own.take(t.Terms.Rate, now); wait > 0 {
		second.CancelAt(now)
		if first != nil {
			first.CancelAt(now)
		}
		return limited(errors.New("more requests than the rate of the tenant allows"), wait)
	}
	return nil
}

func limited(cause error, retry time.Duration) error {
	return &cellwall.Error{
		Code: cellwall.CodeRateLimited, Op: "count request", Err: cause, RetryAfter: min(retry, time.Hour),
		Hint: "try again after the time of Retry-After, or ask the operator for other terms",
	}
}

// tidy drops what is idle.
func (d *Desk) tidy(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for tenant, a := range d.accounts {
		a.mu.Lock()
		a.forget(now)
		if len(a.subjects) == 0 && a.own.idle(now) && a.judged == "" && a.hits.none(now, d.opts.Quarantine.Window) {
			a.gone = true
			delete(d.accounts, tenant)
		}
		a.mu.Unlock()
	}
}

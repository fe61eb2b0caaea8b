package quota

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Enter asks for one execution: budgets, then concurrency. It never blocks.
// Unless there is a stop or an error, leave is called once: with the Result, and
// what the caller paid for the code; with nil when it is none of the tenant's
// doing. More calls do nothing.
func (d *Desk) Enter(who cellwall.Identity) (leave func(*cellwall.Result, float64), stop *cellwall.Stop, err error) {
	t, err := d.working(who.Tenant)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	a := d.lock(who.Tenant)
	defer a.mu.Unlock()
	if a.judged != "" {
		return nil, nil, quarantined(a.judged)
	}
	s, err := a.subject(who.Subject, &t.Terms)
	if err != nil {
		d.Refused(who)
		return nil, nil, err
	}
	meters, stop, err := d.hold(who, &t.Terms, now)
	if stop != nil || err != nil {
		return nil, stop, err // a stop is recorded as a refused Result, and counted there
	}
	if err := a.begin(s, &t.Terms); err != nil {
		free(meters)
		d.Refused(who)
		return nil, nil, err
	}
	var once sync.Once
	return func(r *cellwall.Result, tokenCost float64) {
		once.Do(func() { d.leave(who, s, meters, r, tokenCost) })
	}, nil, nil
}

// begin takes a place of the tenant and one of the subject. The caller holds mu.
func (a *account) begin(s *place, t *cellwall.Terms) error {
	switch {
	case t.Concurrency > 0 && a.own.running >= t.Concurrency:
		return crowded(fmt.Errorf("%d executions of the tenant run or wait, which is all it may have", a.own.running))
	case s != nil && t.SubjectConcurrency > 0 && s.running >= t.SubjectConcurrency:
		return crowded(fmt.Errorf("%d executions of the subject run or wait, which is all it may have", s.running))
	}
	a.own.running++
	if s != nil {
		s.running++
	}
	return nil
}

func crowded(cause error) error {
	return &cellwall.Error{
		Code: cellwall.CodeRateLimited, Op: "begin execution", Err: cause, RetryAfter: time.Second,
		Hint: "wait until one has ended, and send fewer at once",
	}
}

// leave gives back what Enter took and counts what was used.
func (d *Desk) leave(who cellwall.Identity, s *place, meters []*period, r *cellwall.Result, tokenCost float64) {
	a := d.lock(who.Tenant) // the same one: it is not idle
	a.own.running--
	if s != nil {
		s.running--
	}
	a.mu.Unlock()
	free(meters)
	if r == nil {
		return
	}
	for _, p := range meters {
		p.meter.Note(r, tokenCost)
	}
	d.meter(who, meters, r, tokenCost)
}

// working returns the tenant when it may run code.
func (d *Desk) working(id string) (*cellwall.Tenant, error) {
	t, ok := d.directory.Load().tenants[id]
	switch {
	case !ok, t.State == cellwall.TenantClosed:
		return nil, &cellwall.Error{
			Code: cellwall.CodeForbidden, Op: "begin execution", Err: errors.New("the tenant is closed"), Hint: "ask the operator",
		}
	case t.State == cellwall.TenantQuarantined:
		return nil, quarantined(t.Reason)
	}
	return t, nil
}

func quarantined(reason string) error {
	return &cellwall.Error{
		Code: cellwall.CodeForbidden, Op: "begin execution", Err: fmt.Errorf("the tenant is in quarantine: %s", reason),
		Hint: "ask the operator, who sets its state to active when the cause is understood",
	}
}

package quota

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// Quarantine says when a tenant whose executions keep hitting the wall may run
// no more. Zero fields mean the defaults.
type Quarantine struct {
	Hits   int           // executions that hit it, in Window; below 0 = never
	Window time.Duration // that slides in tenths
}

// Defaults of Quarantine: what a model does wrong in good faith stays far below,
// what tries the doors one by one does not.
const (
	DefaultHits   = 100
	DefaultWindow = 10 * time.Minute
)

func (q Quarantine) withDefaults() Quarantine {
	if q.Hits == 0 {
		q.Hits = DefaultHits
	}
	if q.Window <= 0 {
		q.Window = DefaultWindow
	}
	return q
}

// The kinds of what a tenant hears of its quarantine.
const (
	KindQuarantined = "tenant.quarantined"
	KindReleased    = "tenant.released"
)

// Watch looks at how an execution ended. It counts once when the wall refused a
// call, or the kernel killed it for memory, processes or by a signal.
func (d *Desk) Watch(who cellwall.Identity, status cellwall.Status, cause cellwall.Cause, refused []cellwall.Refusal) {
	what := hit(status, cause, refused)
	if what == "" || d.opts.Quarantine.Hits < 0 {
		return
	}
	t, ok := d.directory.Load().tenants[who.Tenant]
	if !ok || t.Terms.Operator {
		return
	}
	a := d.lock(who.Tenant)
	defer a.mu.Unlock()
	n := a.hits.add(time.Now(), d.opts.Quarantine.Window)
	if n >= d.opts.Quarantine.Hits && a.judged == "" && t.State == cellwall.TenantActive {
		a.judged = fmt.Sprintf("%d executions hit the wall within %v, the last one by %s", n, d.opts.Quarantine.Window, what)
	}
}

// hit names what of an execution hit the wall, "" when nothing did.
func hit(status cellwall.Status, cause cellwall.Cause, refused []cellwall.Refusal) string {
	switch {
	case len(refused) > 0:
		return "the call " + refused[0].Call
	case status == cellwall.StatusMemoryLimit, status == cellwall.StatusProcessLimit:
		return string(status)
	case status == cellwall.StatusCrashed && strings.HasPrefix(string(cause), string(cellwall.CauseSignal)):
		return string(cause)
	}
	return ""
}

// sentence writes quarantines into the book; until one is there it holds in
// this process.
func (d *Desk) sentence(ctx context.Context) error {
	d.mu.Lock()
	accounts := maps.Clone(d.accounts)
	d.mu.Unlock()
	var errs []error
	for _, tenant := range slices.Sorted(maps.Keys(accounts)) {
		a := accounts[tenant]
		a.mu.Lock()
		why := a.judged
		a.mu.Unlock()
		if why != "" {
			errs = append(errs, d.quarantine(ctx, tenant, why))
		}
	}
	return errors.Join(errs...)
}

func (d *Desk) quarantine(ctx context.Context, tenant, why string) error {
	t, _, err := d.kept(tenant)
	if err != nil {
		return err
	}
	t.State, t.Reason = cellwall.TenantQuarantined, why
	if err := d.save(ctx, t); err != nil {
		return err
	}
	a := d.lock(tenant)
	a.judged, a.hits = "", hits{}
	a.mu.Unlock()
	d.opts.Logger.Warn("quarantine tenant", "tenant", t.Name, "reason", why)
	d.tell(KindQuarantined, t)
	return nil
}

// tell says what became of a tenant.
func (d *Desk) tell(kind string, t cellwall.Tenant) {
	hearer := d.hearer.Load()
	if hearer == nil {
		return
	}
	data, err := json.Marshal(map[string]string{"tenant": t.ID, "name": t.Name, "reason": t.Reason})
	if err == nil { // three texts always can be
		(*hearer)(cellwall.Happening{Tenant: t.ID, At: time.Now().UTC(), Kind: kind, Data: data})
	}
}

// hits counts in a window that slides in tenths.
type hits struct {
	tenths [10]int
	epoch  int64 // of the newest tenth
}

func (h *hits) add(now time.Time, window time.Duration) (n int) {
	h.slide(now, window)
	h.tenths[h.epoch%10]++
	return h.sum()
}

func (h *hits) none(now time.Time, window time.Duration) bool {
	h.slide(now, window)
	return h.sum() == 0
}

func (h *hits) sum() (n int) {
	for _, t := range h.tenths {
		n += t
	}
	return n
}

func (h *hits) slide(now time.Time, window time.Duration) {
	epoch := now.UnixNano() / max(int64(window)/10, 1)
	for ; h.epoch < epoch && epoch-h.epoch < 10; h.epoch++ {
		h.tenths[(h.epoch+1)%10] = 0
	}
	if h.epoch < epoch {
		*h = hits{epoch: epoch}
	}
}

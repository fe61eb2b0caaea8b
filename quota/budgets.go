package quota

import (
	"context"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

// holder is whose budget it is; subject "" = the tenant's own.
type holder struct{ tenant, subject string }

// period is a budget that counts since then.
type period struct {
	meter *Meter
	since time.Time
	dirty bool // not in the book as it is
}

// hold asks the budgets of the tenant and its subject, and counts an execution
// as running on both.
func (d *Desk) hold(who cellwall.Identity, t *cellwall.Terms, now time.Time) ([]*period, *cellwall.Stop, error) {
	if t.Budget == (cellwall.Budget{}) && t.SubjectBudget == (cellwall.Budget{}) {
		return nil, nil, nil
	}
	d.books.Lock()
	defer d.books.Unlock()
	var held []*period
	for _, b := range budgetsOf(who, t) {
		if b.limit == (cellwall.Budget{}) {
			continue
		}
		p, err := d.period(b.holder, t.BudgetPeriod, now)
		if err != nil {
			free(held)
			return nil, nil, err
		}
		p.meter.Restrict(b.limit)
		if stop := p.meter.Hold(); stop != nil {
			free(held)
			return nil, stop, nil
		}
		held = append(held, p)
	}
	return held, nil, nil
}

// bound is a budget that somebody is held to.
type bound struct {
	holder
	limit cellwall.Budget // zero = none
}

// budgetsOf are those that hold for who: the tenant's and its subject's.
func budgetsOf(who cellwall.Identity, t *cellwall.Terms) [2]bound {
	own := bound{holder{who.Tenant, who.Subject}, t.SubjectBudget}
	if who.Subject == "" {
		own.limit = cellwall.Budget{}
	}
	return [2]bound{{holder{who.Tenant, ""}, t.Budget}, own}
}

func free(held []*period) {
	for _, p := range held {
		p.meter.Free()
	}
}

// period returns the one that goes on. The caller holds books.
func (d *Desk) period(h holder, length time.Duration, now time.Time) (*period, error) {
	p := d.budgets[h]
	switch {
	case p == nil && d.subjects[h.tenant] >= maxSubjects:
		return nil, limited(fmt.Errorf("%d subjects of the tenant have a budget", maxSubjects), time.Hour)
	case p == nil:
		p = &period{since: now}
		d.subjects[h.tenant]++
	case length > 0 && now.Sub(p.since) >= length:
		// One that runs over the end is counted where it began.
		p = &period{since: p.since.Add(now.Sub(p.since).Truncate(length))}
	default:
		return p, nil
	}
	p.meter, p.dirty = NewMeter(cellwall.Budget{}), true
	d.budgets[h] = p
	return p, nil
}

// loadBudgets takes up what was used before this process began.
func (d *Desk) loadBudgets(ctx context.Context) error {
	rows, err := d.opts.Book.Budgets(ctx)
	if err != nil {
		return fmt.Errorf("load budgets: %w", err)
	}
	for _, row := range rows {
		d.budgets[holder{row.Tenant, row.Subject}] = &period{meter: &Meter{used: row.Used, class: row.Class}, since: row.Since}
		d.subjects[row.Tenant]++
	}
	return nil
}

// writeBudgets writes those that have changed.
func (d *Desk) writeBudgets(ctx context.Context) error {
	d.books.Lock()
	var rows []cellwall.BudgetRow
	var written []*period
	for h, p := range d.budgets {
		if !p.dirty {
			continue
		}
		used, class := p.meter.Row()
		rows = append(rows, cellwall.BudgetRow{Tenant: h.tenant, Subject: h.subject, Used: used, Class: class, Since: p.since})
		p.dirty = false
		written = append(written, p)
	}
	d.books.Unlock()
	if len(rows) == 0 {
		return nil
	}
	err := d.opts.Book.SaveBudgets(ctx, rows)
	if err != nil {
		d.books.Lock()
		defer d.books.Unlock()
		for _, p := range written {
			p.dirty = true
		}
		return fmt.Errorf("write budgets: %w", err)
	}
	return nil
}

// Budget is what a tenant, or a subject of it, has used in the period that goes
// on; the zero row when nothing.
func (d *Desk) Budget(tenant, subject string) cellwall.BudgetRow {
	d.books.Lock()
	defer d.books.Unlock()
	row := cellwall.BudgetRow{Tenant: tenant, Subject: subject}
	if p := d.budgets[holder{tenant, subject}]; p != nil {
		row.Used, row.Class = p.meter.Row()
		row.Since = p.since
	}
	return row
}

// tidyBudgets drops those whose period is over.
func (d *Desk) tidyBudgets(now time.Time) {
	dir := d.directory.Load()
	d.books.Lock()
	defer d.books.Unlock()
	for h, p := range d.budgets {
		t := dir.tenants[h.tenant]
		if t == nil || t.Terms.BudgetPeriod <= 0 || p.dirty || now.Sub(p.since) < t.Terms.BudgetPeriod {
			continue
		}
		delete(d.budgets, h) // who holds it still notes what was used, for nobody
		if d.subjects[h.tenant]--; d.subjects[h.tenant] == 0 {
			delete(d.subjects, h.tenant)
		}
	}
}

package quota

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
)

// slot is one row that is being counted.
type slot struct {
	tenant, subject string
	hour            int64
}

// maxRows bounds the rows that wait for a book that cannot be written. Beyond,
// subjects are counted as one.
const maxRows = 100_000

// row returns the row of now. The caller holds books.
func (d *Desk) row(who cellwall.Identity) *cellwall.UsageRow {
	hour := time.Now().UTC().Truncate(time.Hour)
	s := slot{who.Tenant, who.Subject, hour.Unix()}
	if len(d.usage) >= maxRows && d.usage[s] == nil {
		s.subject = ""
	}
	r := d.usage[s]
	if r == nil {
		r = &cellwall.UsageRow{Tenant: s.tenant, Subject: s.subject, Hour: hour}
		d.usage[s] = r
	}
	return r
}

// meter counts a Result.
func (d *Desk) meter(who cellwall.Identity, meters []*period, r *cellwall.Result, tokenCost float64) {
	d.books.Lock()
	defer d.books.Unlock()
	for _, p := range meters {
		p.dirty = true
	}
	row := d.row(who)
	row.TokenCost += max(0, tokenCost)
	if r.Status == cellwall.StatusRefused {
		row.Refused++
		return
	}
	row.Executions++
	row.WallMS += r.Usage.WallMS
	row.CPUMS += r.Usage.CPUMS
	for _, a := range r.Artifacts {
		row.Bytes += a.Bytes
	}
}

// Between counts processor time that a session of who's used beside its cells: on the
// bill, and as time of the budgets that hold for who.
func (d *Desk) Between(who cellwall.Identity, spent time.Duration) {
	d.books.Lock()
	defer d.books.Unlock()
	d.row(who).CPUMS += milliseconds(spent)
	t := d.directory.Load().tenants[who.Tenant]
	if t == nil {
		return // closed meanwhile
	}
	for _, b := range budgetsOf(who, &t.Terms) {
		if b.limit == (cellwall.Budget{}) {
			continue
		}
		if p, err := d.period(b.holder, t.Terms.BudgetPeriod, time.Now()); err == nil { // else there are too many to hold any
			p.meter.Ran(spent)
			p.dirty = true
		}
	}
}

// Refused counts an execution that was turned away before it began.
func (d *Desk) Refused(who cellwall.Identity) {
	d.books.Lock()
	defer d.books.Unlock()
	d.row(who).Refused++
}

// Stored counts what was kept for who besides artifacts of executions.
func (d *Desk) Stored(who cellwall.Identity, bytes int64) {
	d.books.Lock()
	defer d.books.Unlock()
	d.row(who).Bytes += bytes
}

// write writes what was used since the last time.
func (d *Desk) write(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bookTime)
	defer cancel()
	return errors.Join(d.writeUsage(ctx), d.writeBudgets(ctx))
}

func (d *Desk) writeUsage(ctx context.Context) error {
	d.books.Lock()
	rows := make([]cellwall.UsageRow, 0, len(d.usage))
	for _, row := range d.usage {
		rows = append(rows, *row)
	}
	clear(d.usage)
	d.books.Unlock()
	if len(rows) == 0 {
		return nil
	}
	if err := d.opts.Book.AddUsage(ctx, rows); err != nil {
		d.putBack(rows)
		return fmt.Errorf("write usage: %w", err)
	}
	return nil
}

// putBack counts rows that could not be written once more.
func (d *Desk) putBack(rows []cellwall.UsageRow) {
	d.books.Lock()
	defer d.books.Unlock()
	for _, row := range rows {
		s := slot{row.Tenant, row.Subject, row.Hour.Unix()}
		r := d.usage[s]
		if r == nil {
			d.usage[s] = &row
			continue
		}
		r.Executions += row.Executions
		r.Refused += row.Refused
		r.WallMS += row.WallMS
		r.CPUMS += row.CPUMS
		r.Bytes += row.Bytes
		r.TokenCost += row.TokenCost
	}
}

// Usage returns what was used, what is not written yet included: whole hours,
// from the one that from lies in up to before to.
func (d *Desk) Usage(ctx context.Context, tenant string, from, to time.Time) ([]cellwall.UsageRow, error) {
	if err := d.writeUsage(ctx); err != nil {
		return nil, err
	}
	rows, err := d.opts.Book.Usage(ctx, tenant, from.UTC().Truncate(time.Hour), to.UTC())
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	return slices.Clip(rows), nil
}

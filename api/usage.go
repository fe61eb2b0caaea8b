package api

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// usageBody is what was used, by tenant, hour and subject.
type usageBody struct {
	From  time.Time           `json:"from"`
	To    time.Time           `json:"to"`
	Items []cellwall.UsageRow `json:"items"`
}

// usageColumns are the columns of the same as CSV.
var usageColumns = []string{"tenant", "subject", "hour", "executions", "refused", "wall_ms", "cpu_ms", "bytes", "token_cost"}

// The time that is asked for: a day when nothing is said, at most a year.
const (
	usageSpan = 24 * time.Hour
	mostUsage = 366 * 24 * time.Hour
)

func (s *Server) documentUsage(op *huma.Operation) {
	for _, p := range [...]struct{ name, format, about string }{
		{"from", "date-time", "Hours that begin at or after this; left out: a day before to"},
		{"to", "date-time", "Hours that begin before this; left out: now"},
		{"tenant", "", "For the operator: a tenant's id, or * for everybody"},
	} {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: p.name, In: "query", Description: p.about, Schema: &huma.Schema{Type: "string", Format: p.format, MaxLength: ptr(64)},
		})
	}
	op.Description = "With `Accept: text/csv` as a table. `cpu_ms` is of executions, and of what ran in sessions between theirs."
	responds(op, http.StatusOK, "What was used", "application/json", schemaOf[usageBody](s))
	responds(op, http.StatusOK, "", "text/csv", &huma.Schema{Type: "string"})
}

// getUsage gives what was used, for bills.
func (s *Server) getUsage(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	out := usageBody{To: time.Now().UTC()}
	for name, at := range map[string]*time.Time{"from": &out.From, "to": &out.To} {
		text := q.Get(name)
		if text == "" {
			continue
		}
		read, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return invalidQuery(name, "expected date-time, for example 2027-01-31T00:00:00Z")
		}
		*at = read.UTC()
	}
	if out.From.IsZero() {
		out.From = out.To.Add(-usageSpan)
	}
	if span := out.To.Sub(out.From); span < 0 || span > mostUsage {
		return badQuery("from and to", errors.New("they are more than a year apart, or the wrong way round"), "")
	}
	tenant, err := s.reach(r.Context(), q.Get("tenant"), everybody)
	if err != nil {
		return err
	}
	if out.Items, err = s.opts.Accounts.Usage(r.Context(), tenant, out.From, out.To); err != nil {
		return err
	}
	for i := range out.Items { // sums of many small figures
		out.Items[i].WallMS, out.Items[i].CPUMS = microseconds(out.Items[i].WallMS), microseconds(out.Items[i].CPUMS)
	}
	if strings.Contains(r.Header.Get("Accept"), "text/csv") {
		return writeUsage(w, out.Items)
	}
	if out.Items == nil {
		out.Items = []cellwall.UsageRow{}
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(out)
}

// microseconds rounds milliseconds to what was measured.
func microseconds(ms float64) float64 { return math.Round(ms*1000) / 1000 }

func badQuery(name string, cause error, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "read " + name, Err: cause, Hint: hint}
}

// writeUsage writes the table. A subject is the tenant's own text: one that a
// spreadsheet would run as a formula gets an apostrophe before it.
func writeUsage(w http.ResponseWriter, rows []cellwall.UsageRow) error {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="usage.csv"`)
	out := csv.NewWriter(w)
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	lines := [][]string{usageColumns}
	for _, u := range rows {
		subject := u.Subject
		if strings.ContainsAny(subject[:min(1, len(subject))], "=+-@") {
			subject = "'" + subject
		}
		lines = append(lines, []string{
			u.Tenant, subject, u.Hour.UTC().Format(time.RFC3339), strconv.FormatInt(u.Executions, 10), strconv.FormatInt(u.Refused, 10),
			number(u.WallMS), number(u.CPUMS), strconv.FormatInt(u.Bytes, 10), number(u.TokenCost),
		})
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write usage: %w", err)
	}
	return nil
}

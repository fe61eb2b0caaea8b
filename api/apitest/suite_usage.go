package apitest

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

type used struct {
	From, To time.Time
	Items    []cellwall.UsageRow
}

func usageOf(t *testing.T, s *Service, key, query string) used {
	t.Helper()
	return Into[used](t, s.Call(t, "GET", "/v1/usage"+query, key, ""), 200)
}

// of makes one row of those of a subject: the hour may have changed meanwhile.
func (u used) of(subject string) (sum cellwall.UsageRow) {
	for _, r := range u.Items {
		if r.Subject == subject {
			sum.Tenant, sum.Executions, sum.Refused = r.Tenant, sum.Executions+r.Executions, sum.Refused+r.Refused
			sum.WallMS, sum.Bytes, sum.TokenCost = sum.WallMS+r.WallMS, sum.Bytes+r.Bytes, sum.TokenCost+r.TokenCost
		}
	}
	return sum
}

func whatWasUsedIsCountedAndExported(t *testing.T, s *Service) {
	var wall float64
	run := func(code, subject string) {
		t.Helper()
		r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Agent, body(t, map[string]any{"code": code, "token_cost": 0.25}), "X-Cellwall-Subject", subject), 200)
		if subject != "" {
			wall += r.Usage.WallMS
		}
	}
	run("open('a.txt', 'w').write('x' * 1000)", "=ann")
	run("{}['x']", "=ann")
	run("1", "")
	k := begin(t, s, `{}`)
	k.cell(t, "2")
	var got used
	await(t, "what was used is not counted", func() bool {
		got = usageOf(t, s, s.Key, "")
		return got.of("=ann").Executions >= 2 && got.of("").Executions >= 3
	})
	if u := got.of(""); u.Executions != 3 { // a session's beginning is one
		t.Errorf("of no subject %+v, want 3 executions", u)
	}
	if u := got.of("=ann"); u.Executions != 2 || u.Tenant != s.Tenant || u.Refused != 0 || u.TokenCost != 0.5 || u.Bytes < 1000 || u.WallMS < wall-0.01 || u.WallMS > wall+0.01 {
		t.Errorf("%+v, want 2 executions of %v ms", u, wall)
	}
	if span := got.To.Sub(got.From); span != 24*time.Hour {
		t.Errorf("it is of %s", span)
	}
	a := s.Call(t, "GET", "/v1/usage", s.Key, "", "Accept", "text/csv")
	lines, err := csv.NewReader(strings.NewReader(string(a.Body))).ReadAll()
	if err != nil || a.Status != 200 || len(lines) != len(got.Items)+1 || a.Header.Get("Content-Disposition") != `attachment; filename="usage.csv"` {
		t.Fatalf("%d %v %v %s", a.Status, a.Header, err, a.Body)
	}
	at := slices.IndexFunc(lines, func(l []string) bool { return l[1] == "'=ann" }) // no formula
	if at < 0 || lines[0][3] != "executions" || lines[0][8] != "token_cost" || lines[at][0] != s.Tenant {
		t.Fatalf("%q", lines)
	}
	if n, err := strconv.Atoi(lines[at][3]); err != nil || n < 1 || n > 2 {
		t.Errorf("%q", lines[at])
	}
	if old := usageOf(t, s, s.Key, "?to=2001-02-03T04:05:06Z"); old.Items == nil || len(old.Items) != 0 {
		t.Errorf("long ago it has %+v", old.Items)
	}
}

func usageIsItsTenants(t *testing.T, s *Service) {
	s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`)
	await(t, "what was used is not counted", func() bool { return len(usageOf(t, s, s.Operator, "?tenant="+s.Tenant).Items) > 0 })
	if u := usageOf(t, s, s.Other, ""); u.Items == nil || len(u.Items) != 0 {
		t.Errorf("another tenant is given %+v", u.Items)
	}
	for _, tenant := range []string{s.Tenant, cellwall.NewID(cellwall.PrefixTenant), "*"} {
		DemandProblem(t, "the usage of "+tenant, s.Call(t, "GET", "/v1/usage?tenant="+tenant, s.Other, ""), 403, "forbidden")
	}
	onlyWithScope(t, s, asking{"GET", "/v1/usage", ""}, s.Agent, s.Auditor)
	refused(t, s, s.Key, []mistake{
		{"the wrong way round", "GET", "/v1/usage?from=2027-01-01T00:00:00Z&to=2026-12-31T00:00:00Z", "", 400, "wrong way"},
		{"more than a year", "GET", "/v1/usage?from=2001-01-01T00:00:00Z", "", 400, "year"},
		{"no time", "GET", "/v1/usage?from=yesterday", "", 422, "date-time"},
	})
}

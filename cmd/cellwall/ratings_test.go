package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/store"
)

// rate puts ratings of the tenant local into the service's database, one a line of a
// file: "rate FILE".
func rate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: rate FILE")
	}
	ctx := context.Background()
	s, err := store.Open(ctx, store.Default(ts.Getenv("CELLWALL_STATE_DIR")), store.Options{})
	ts.Check(err)
	defer func() { ts.Check(s.Close()) }()
	lines := bufio.NewScanner(strings.NewReader(ts.ReadFile(args[0])))
	for lines.Scan() {
		var r cellwall.Rating
		ts.Check(json.Unmarshal(lines.Bytes(), &r))
		r.Tenant = cellwall.LocalTenant
		_, err := s.Rate(ctx, r, false)
		ts.Check(err)
	}
}

// rated is a service with two executions that two people have rated.
func rated(t *testing.T) (d *desked, first string) {
	t.Helper()
	d = waitingService(t, "")
	run := func(code string) string {
		t.Helper()
		var ran struct{ ID string }
		d.as(d.agent, "POST", "/v1/executions", `{"code":"`+code+`","metadata":{"model":"m1","prompt_version":"p1"}}`, 200, &ran)
		return ran.ID
	}
	first = run("out 1")
	second := run("out 2")
	d.as(d.person, "POST", ratingsOf(first), ratingBody("ann", 5, 1), 201, nil)
	d.as(d.person, "POST", ratingsOf(first), ratingBody("ben", 5, 4), 201, nil)
	d.as(d.person, "POST", ratingsOf(second), ratingBody("ann", 1, 4), 201, nil)
	d.as(d.person, "POST", ratingsOf(second), ratingBody("ben", 1, 1), 201, nil)
	return d, first
}

func ratingsOf(execution string) string { return "/v1/executions/" + execution + "/ratings" }

func ratingBody(rater string, correctness, fluency int) string {
	return fmt.Sprintf(`{"rater":%q,"correctness":%d,"completeness":3,"fluency":%d,"attribution":5,"comment":"<so>"}`, rater, correctness, fluency)
}

func TestM46_EachPersonHasOneRatingUnderTheirName(t *testing.T) {
	d, first := rated(t)
	to := ratingsOf(first)
	d.as(d.person, "POST", to, ratingBody("ann", 5, 2), 200, nil) // a later one replaces it
	d.as(d.agent, "POST", to, ratingBody("ann", 1, 1), 409, nil)  // under a name that another key has
	d.as(d.admin, "POST", to, ratingBody("ann", 5, 1), 200, nil)  // unless it administers the tenant
	d.as(d.person, "POST", to, ratingBody("", 1, 1), 422, nil)    // nobody
	d.as(d.person, "POST", to, ratingBody("cat", 6, 1), 422, nil) // no score
	d.as(d.person, "POST", to, `{"rater":"c\u0007","correctness":1,"completeness":1,"fluency":1,"attribution":1}`, 400, nil)
	var list struct{ Items []cellwall.Rating }
	d.as(d.agent, "GET", to, "", 200, &list)
	if len(list.Items) != 2 || list.Items[0].Model != "m1" || list.Items[0].Prompt != "p1" || list.Items[0].Environment != "python-data-basic" {
		t.Errorf("%+v", list)
	}
	if said := d.records(); strings.Count(said, `"kind":"rating"`) != 6 || !strings.Contains(said, `"replaced":true`) {
		t.Error("ratings are not recorded")
	}
}

func TestM46_TheAgreementOfRatersIsShown(t *testing.T) {
	d, _ := rated(t)
	type figure struct {
		Mean  float64
		Alpha *float64
	}
	var sum struct {
		Metric string
		Groups []struct {
			Model                                           string
			Executions, Ratings, Raters                     int
			Correctness, Completeness, Fluency, Attribution figure
		}
	}
	d.as(d.agent, "GET", "/v1/ratings/summary?by=model", "", 200, &sum)
	if len(sum.Groups) != 1 || sum.Metric != "ordinal" {
		t.Fatalf("%+v", sum)
	}
	g := sum.Groups[0]
	if g.Model != "m1" || g.Executions != 2 || g.Ratings != 4 || g.Raters != 2 || g.Correctness.Mean != 3 || g.Correctness.Alpha == nil || *g.Correctness.Alpha != 1 ||
		g.Completeness.Alpha != nil || g.Fluency.Alpha == nil || *g.Fluency.Alpha >= 0 {
		t.Errorf("%+v", g)
	}
	if text := d.as(d.agent, "GET", "/v1/ratings?model=m1", "", 200, nil); strings.Count(text, "\n") != 4 || !strings.Contains(text, `"comment":"<so>"`) {
		t.Error(text)
	}
	if text := d.as(d.agent, "GET", "/v1/ratings?model=m2", "", 200, nil); text != "" {
		t.Error(text)
	}
	d.as(d.agent, "GET", "/v1/ratings?modell=m1", "", 422, nil)
	other := d.newKey(d.newTenant(), time.Time{}, cellwall.Scopes()...)
	if status, text := call(t, http.DefaultClient, "GET", d.tcp+"/v1/ratings", "", "X-API-Key", other); status != 200 || text != "" {
		t.Errorf("another tenant reads %d %s", status, text)
	}
}

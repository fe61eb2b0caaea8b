package apitest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
)

// ranFor runs something of the first tenant's, by a model.
func ranFor(t *testing.T, s *Service, model string) string {
	t.Helper()
	ask := map[string]any{"code": "1", "metadata": map[string]string{"model": model, "prompt_version": "3"}}
	return Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, body(t, ask)), 200).ID
}

// scored is a rating's body, with the same score in every respect.
func scored(t *testing.T, rater string, score int, change map[string]any) string {
	t.Helper()
	fields := map[string]any{"rater": rater, "correctness": score, "completeness": score, "fluency": score, "attribution": score}
	maps.Copy(fields, change)
	return body(t, fields)
}

func rate(t *testing.T, s *Service, key, execution, body string, status int) cellwall.Rating {
	t.Helper()
	return Into[cellwall.Rating](t, s.Call(t, "POST", "/v1/executions/"+execution+"/ratings", key, body), status)
}

// raters are who has rated an execution, with what they gave, oldest first.
func raters(t *testing.T, s *Service, execution string) (list []string) {
	t.Helper()
	for _, r := range Into[List[cellwall.Rating]](t, s.Call(t, "GET", "/v1/executions/"+execution+"/ratings", s.Key, ""), 200).Items {
		list = append(list, fmt.Sprint(r.Rater, r.Correctness))
	}
	return list
}

func aRatingIsKeptListedAndReplaced(t *testing.T, s *Service) {
	id := ranFor(t, s, "m-1")
	if got := raters(t, s, id); len(got) != 0 {
		t.Errorf("nobody has rated it, and the list has %q", got)
	}
	first := rate(t, s, s.Agent, id, scored(t, "ann", 2, map[string]any{"comment": "说得不对 – \"half\" & <half>"}), 201)
	want := cellwall.Rating{
		Execution: id, Rater: "ann", Scores: cellwall.Scores{Correctness: 2, Completeness: 2, Fluency: 2, Attribution: 2}, Comment: "说得不对 – \"half\" & <half>",
		At: first.At, Key: first.Key, Model: "m-1", Prompt: "3", Environment: "python-data-basic",
	}
	if first != want || !cellwall.ValidID(cellwall.PrefixKey, first.Key) || time.Since(first.At) > time.Minute {
		t.Errorf("%+v, want %+v", first, want)
	}
	rate(t, s, s.Agent, id, scored(t, "bob", 4, nil), 201)
	if got := raters(t, s, id); !slices.Equal(got, []string{"ann2", "bob4"}) {
		t.Errorf("%q", got)
	}
	rate(t, s, s.Agent, id, scored(t, "ann", 5, nil), 200) // a later one takes the place of the one before
	if got := raters(t, s, id); !slices.Equal(got, []string{"bob4", "ann5"}) {
		t.Errorf("%q", got)
	}
	rate(t, s, s.Key, id, scored(t, "ann", 1, nil), 200) // who administers the tenant may take anybody's place
	a := s.Call(t, "POST", "/v1/executions/"+id+"/ratings", s.Agent, scored(t, "ann", 5, nil))
	if p := DemandProblem(t, "a name of another key's", a, 409, "conflict"); !strings.Contains(p.Detail, "another key") {
		t.Errorf("it says %q", p.Detail)
	}
	if got := raters(t, s, id); !slices.Equal(got, []string{"bob4", "ann1"}) {
		t.Errorf("%q", got)
	}
}

// exported are the lines of an export, as execution and rater.
func exported(t *testing.T, s *Service, key, query string) (list []string) {
	t.Helper()
	a := s.Call(t, "GET", "/v1/ratings"+query, key, "")
	if a.Status != 200 || a.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Fatalf("%d %v %s", a.Status, a.Header, a.Body)
	}
	for lines := bufio.NewScanner(bytes.NewReader(a.Body)); lines.Scan(); {
		var r cellwall.Rating
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		list = append(list, r.Execution+" "+r.Rater)
	}
	return list
}

func ratingsAreExportedALineEach(t *testing.T, s *Service) {
	one, two := ranFor(t, s, "m-1"), ranFor(t, s, "m 2 & é")
	rate(t, s, s.Key, one, scored(t, "ann", 2, nil), 201)
	rate(t, s, s.Key, two, scored(t, "ann", 4, nil), 201)
	last := rate(t, s, s.Key, two, scored(t, "bob", 4, nil), 201)
	all := []string{one + " ann", two + " ann", two + " bob"}
	for query, want := range map[string][]string{
		"":                               all,
		"?model=m-1":                     all[:1],
		"?model=m+2+%26+%C3%A9":          all[1:],
		"?model=m":                       nil,
		"?prompt_version=3":              all,
		"?environment=other":             nil,
		"?model=m-1&prompt_version=4":    nil,
		"?since=2001-02-03T04:05:06Z":    all,
		"?since=2999-02-03T04:05:06Z":    nil,
		"?since=" + stamp(last.At):       all[2:],
		"?environment=python-data-basic": all,
	} {
		if got := exported(t, s, s.Key, query); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := exported(t, s, s.Other, ""); len(got) > 0 {
		t.Errorf("another tenant is given %q", got)
	}
}

// stamp is a moment as a query has it.
func stamp(at time.Time) string { return at.Format(time.RFC3339Nano) }

func ratingsAreSummedWithTheirAgreement(t *testing.T, s *Service) {
	type sums struct {
		Metric string
		Groups []api.RatingGroup
	}
	sum := func(key, query string) sums {
		t.Helper()
		return Into[sums](t, s.Call(t, "GET", "/v1/ratings/summary"+query, key, ""), 200)
	}
	for i, model := range []string{"m-1", "m-1", "m-2"} {
		id := ranFor(t, s, model)
		rate(t, s, s.Key, id, scored(t, "ann", 2+i, nil), 201)
		rate(t, s, s.Key, id, scored(t, "bob", 2+i, nil), 201)
	}
	all := sum(s.Key, "?by=model")
	if len(all.Groups) != 2 || all.Metric != "ordinal" || all.Groups[0].Model != "m-1" || all.Groups[1].Model != "m-2" || all.Groups[0].Prompt != "" {
		t.Fatalf("%+v", all)
	}
	if g := all.Groups[0]; g.Executions != 2 || g.Ratings != 4 || g.Raters != 2 || g.Correctness.Mean != 2.5 || g.Fluency.Alpha == nil || *g.Fluency.Alpha != 1 {
		t.Errorf("%+v", g)
	}
	if g := all.Groups[1]; g.Executions != 1 || g.Correctness.Mean != 4 || g.Correctness.Alpha != nil {
		t.Errorf("nothing varies, and there is an agreement: %+v", g)
	}
	if got := sum(s.Key, "?model=m-2&metric=interval"); len(got.Groups) != 1 || got.Metric != "interval" || got.Groups[0].Environment != "python-data-basic" || got.Groups[0].Prompt != "3" {
		t.Errorf("%+v", got)
	}
	if got := sum(s.Key, "?by=model,prompt_version"); len(got.Groups) != 2 || got.Groups[0].Environment != "" || got.Groups[0].Prompt != "3" {
		t.Errorf("%+v", got)
	}
	if got := sum(s.Other, ""); got.Groups == nil || len(got.Groups) != 0 {
		t.Errorf("another tenant is given %+v", got)
	}
}

func ratingsAreTheirTenants(t *testing.T, s *Service) {
	id := ranFor(t, s, "m-1")
	rate(t, s, s.Key, id, scored(t, "ann", 2, nil), 201)
	onlyForItsTenant(t, s, id,
		asking{"POST", "/v1/executions/{id}/ratings", scored(t, "eve", 1, nil)},
		asking{"GET", "/v1/executions/{id}/ratings", ""},
		asking{"GET", "/v1/ratings", ""},
		asking{"GET", "/v1/ratings/summary", ""},
	)
	if got := raters(t, s, id); !slices.Equal(got, []string{"ann2"}) {
		t.Errorf("afterwards it has %q", got)
	}
}

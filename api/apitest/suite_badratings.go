package apitest

import (
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func badRatingsAreRefusedWithASentence(t *testing.T, s *Service) {
	id := ranFor(t, s, "m-1")
	path := "/v1/executions/" + id + "/ratings"
	var all []mistake
	for _, m := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"nothing", ``, 400, "body"},
		{"half", `{"rater":"ann"`, 400, "JSON"},
		{"no UTF-8", "{\"rater\":\"\xff\"}", 400, "UTF-8"},
		{"two documents", scored(t, "ann", 1, nil) + `{}`, 400, "JSON"},
		{"null", `null`, 422, "expected object"},
		{"no scores", `{"rater":"ann"}`, 422, "correctness"},
		{"no rater", scored(t, "", 1, nil), 422, "body.rater"},
		{"a rater without end", scored(t, strings.Repeat("ä", 129), 1, nil), 422, "body.rater"},
		{"a rater that rings", scored(t, "ann\a", 1, nil), 400, "printed"},
		{"a rater that turns the line", scored(t, "ann\u202e", 1, nil), 400, "printed"},
		{"a rater with NUL", scored(t, "ann\x00", 1, nil), 400, "printed"},
		{"a score below", scored(t, "ann", 0, nil), 422, "body.correctness"},
		{"a score above", scored(t, "ann", 6, nil), 422, "body.fluency"},
		{"half a score", scored(t, "ann", 1, map[string]any{"attribution": 4.5}), 422, "body.attribution"},
		{"a score in words", scored(t, "ann", 1, map[string]any{"completeness": "5"}), 422, "body.completeness"},
		{"an unknown field", scored(t, "ann", 1, map[string]any{"model": "mine"}), 422, "body.model"},
		{"a field in another case", scored(t, "ann", 1, map[string]any{"Comment": "x"}), 422, "body.Comment"},
		{"a comment without end", scored(t, "ann", 1, map[string]any{"comment": strings.Repeat("x", 2001)}), 422, "body.comment"},
		{"a comment with NUL", scored(t, "ann", 1, map[string]any{"comment": "a\x00b"}), 400, "NUL"},
		{"a body without end", scored(t, "ann", 1, map[string]any{"comment": strings.Repeat("x", 70_000)}), 413, "bytes"},
	} {
		all = append(all, mistake{m.name, "POST", path, m.body, m.status, m.says})
	}
	refused(t, s, s.Key, all)
	refused(t, s, s.Key, badQuestionsOfRatings(scored(t, "ann", 1, nil)))
	DemandProblem(t, "another media type", s.Call(t, "POST", path, s.Key, scored(t, "ann", 1, nil), "Content-Type", "text/plain"), 415, "bad_request")
	if got := raters(t, s, id); len(got) != 0 {
		t.Errorf("a mistake is kept: %q", got)
	}
}

// badQuestionsOfRatings name no execution, or no ratings, that could be.
func badQuestionsOfRatings(good string) []mistake {
	list := []mistake{
		{"of nothing", "POST", "/v1/executions/exec_x/ratings", good, 404, ""},
		{"of an id without end", "POST", "/v1/executions/" + strings.Repeat("x", 65) + "/ratings", good, 422, "path.id"},
		{"of NUL", "GET", "/v1/executions/%00/ratings", "", 404, ""},
		{"of no text", "GET", "/v1/executions/%ff/ratings", "", 404, ""},
		{"of another kind", "GET", "/v1/executions/" + cellwall.NewID(cellwall.PrefixApproval) + "/ratings", "", 404, ""},
		{"summed by nothing", "GET", "/v1/ratings/summary?by=colour", "", 422, "query.by"},
		{"summed by too much", "GET", "/v1/ratings/summary?by=model,model,model,model", "", 422, "query.by"},
		{"measured by nothing", "GET", "/v1/ratings/summary?metric=nominal", "", 422, "query.metric"},
	}
	for _, path := range []string{"/v1/ratings", "/v1/ratings/summary"} {
		list = append(list,
			mistake{"a query that is not known", "GET", path + "?sinc=1", "", 422, "sinc"},
			mistake{"since a word", "GET", path + "?since=yesterday", "", 422, "since"},
			mistake{"since twice", "GET", path + "?since=2001-02-03T04:05:06Z&since=2001-02-03T04:05:06Z", "", 422, "since"},
			mistake{"a model without end", "GET", path + "?model=" + strings.Repeat("m", 513), "", 422, "model"},
			mistake{"a model of NUL", "GET", path + "?model=%00", "", 400, "NUL"},
			mistake{"a model that is no text", "GET", path + "?prompt_version=%ff", "", 400, "UTF-8"},
			mistake{"a query that is none", "GET", path + "?model=%zz", "", 400, "%"},
		)
	}
	return list
}

package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// documented is every operation of the document that a service gives, as "METHOD /path".
func (s *served) documented() (routes []string) {
	s.t.Helper()
	status, text := call(s.t, http.DefaultClient, http.MethodGet, s.tcp+"/openapi.json", "")
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil || status != http.StatusOK {
		s.t.Fatalf("%d, %v", status, err)
	}
	for path, item := range document.Paths {
		for method := range item {
			if slices.Contains([]string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}, method) { // else it is of the whole path
				routes = append(routes, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(routes)
	return routes
}

// gaps are the operations of a document that have no line, or more than one, and the
// lines of no operation: those would test nothing.
func gaps(documented []string, lines []reached) (list []string) {
	count := map[string]int{}
	for _, line := range lines {
		count[line.route]++
	}
	for _, route := range documented {
		switch n := count[route]; {
		case n == 0:
			list = append(list, route+" of the document has no line in the table")
		case n > 1:
			list = append(list, route+" has more than one line in the table")
		}
		delete(count, route)
	}
	for route := range count {
		list = append(list, route+" of the table is not in the document")
	}
	slices.Sort(list)
	return list
}

// TestM42_ATableOfRoutesThatLacksOneSaysSo proves that the check can fail, for each line.
func TestM42_ATableOfRoutesThatLacksOneSaysSo(t *testing.T) {
	var all []string
	for _, line := range reaches {
		all = append(all, line.route)
	}
	if found := gaps(all, reaches); len(found) > 0 {
		t.Errorf("a table that has all: %q", found)
	}
	for i, line := range reaches {
		less := slices.Delete(slices.Clone(reaches), i, i+1)
		if found := gaps(all, less); !slices.Equal(found, []string{line.route + " of the document has no line in the table"}) {
			t.Errorf("without %s: %q", line.route, found)
		}
	}
	if found := gaps(all, append(slices.Clone(reaches), reaches[0], reached{route: "GET /v1/nothing"})); len(found) != 2 {
		t.Errorf("with one twice, and one of no operation: %q", found)
	}
}

package apitest

import (
	"net/http"
	"slices"
	"testing"

	"github.com/cellwall/cellwall/api"
)

// A suite without a row for a route says so: a refusal is no call, and a call of a
// route is none of its neighbours'.
func TestM39_ARouteWithoutARowIsNamed(t *testing.T) {
	c := newCalled(map[string]string{
		"GET /v1/things": "", "GET /v1/things/{id}": "", "GET /v1/things/{id}/files/{name}": "", "POST /v1/things": "", "GET /v1/things/summary": "",
	})
	for _, call := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/v1/things/a", 200},
		{"GET", "/v1/things/a/files/b/c.txt", 206},
		{"GET", "/v1/things?limit=2", 304},
		{"POST", "/v1/things", 404},
		{"PUT", "/v1/things", 200},
		{"GET", "/v1/nothing", 200},
	} {
		r, err := http.NewRequestWithContext(t.Context(), call.method, "http://localhost"+call.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.note(r, call.status)
	}
	if got, want := c.left(), []string{"GET /v1/things/summary", "POST /v1/things"}; !slices.Equal(got, want) {
		t.Errorf("%q are left, want %q", got, want)
	}
}

// It knows every route of the table.
func TestM39_EveryRouteIsAskedFor(t *testing.T) {
	routes := api.Routes()
	if left := newCalled(routes).left(); len(left) != len(routes) || len(left) == 0 {
		t.Errorf("%d of %d routes are asked for", len(left), len(routes))
	}
}

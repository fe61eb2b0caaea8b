package apitest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// called is which routes were answered well: to be refused is no proof that a route
// does what it promises.
type called struct {
	known *http.ServeMux
	mu    sync.Mutex
	none  map[string]bool // routes that nobody has called with success
}

// newCalled knows routes as api.Routes names them.
func newCalled(routes map[string]string) *called {
	c := &called{known: http.NewServeMux(), none: map[string]bool{}}
	for route := range routes {
		pattern := route
		if strings.HasSuffix(route, "/files/{name}") {
			pattern = strings.TrimSuffix(route, "}") + "...}" // the only name that may hold /
		}
		c.known.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) { c.done(route) })
		c.none[route] = true
	}
	return c
}

// note is told of each answer; nil takes it, too.
func (c *called) note(r *http.Request, status int) {
	if c != nil && status < http.StatusBadRequest {
		c.known.ServeHTTP(nowhere{}, r)
	}
}

func (c *called) done(route string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.none, route)
}

// left are the routes that no call was answered well of.
func (c *called) left() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.none))
}

// demandAll fails for each route that no row has called.
func (c *called) demandAll(t *testing.T) {
	t.Helper()
	for _, route := range c.left() {
		t.Errorf("%s is called with success by no row of the suite: add one", route)
	}
}

// nowhere is the answer of a mux that is only asked which route it would take.
type nowhere struct{}

func (nowhere) Header() http.Header         { return http.Header{} }
func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) WriteHeader(int)             {}

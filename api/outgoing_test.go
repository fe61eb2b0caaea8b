package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

// unread is a client that does not read its answer before it is told to.
type unread struct {
	httptest.ResponseRecorder
	writes, reads chan struct{}
	once          sync.Once
}

func (u *unread) Write(p []byte) (int, error) {
	u.once.Do(func() { close(u.writes) })
	<-u.reads
	return len(p), nil
}

// ask has a client ask and read nothing until the end of the test, or until read is called.
func ask(t *testing.T, s *apitest.Service, path, key string) (read func()) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", path, http.NoBody)
	r.Header.Set("X-API-Key", key)
	u := &unread{ResponseRecorder: *httptest.NewRecorder(), writes: make(chan struct{}), reads: make(chan struct{})}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.Server.ServeHTTP(u, r)
	}()
	select {
	case <-u.writes:
	case <-gone:
		t.Fatalf("%s is answered with %d at once", path, u.Code)
	}
	read = sync.OnceFunc(func() { close(u.reads); <-gone })
	t.Cleanup(read)
	return read
}

func TestOutgoing_WhoReadsNoAnswersHoldsAShareOfMemory(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.Outgoing = 32 << 20 }) // 4 MiB for one tenant
	large, small, others := s.KeepResult(t, s.Tenant, 1<<20), s.KeepResult(t, s.Tenant, 100), s.KeepResult(t, s.Second, 1<<20)
	var read func()
	for i, path := range []string{large, large + "/events", large} {
		if now := ask(t, s, path, s.Key); i == 0 {
			read = now
		}
	}
	busy := func(method, path, body string) {
		t.Helper()
		a := s.Call(t, method, path, s.Key, body)
		apitest.DemandProblem(t, path, a, 503, cellwall.CodeBusy)
		if a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: it is not said when to come again", path)
		}
	}
	busy("GET", large, "")
	busy("GET", large+"/events", "")
	for path, key := range map[string]string{small: s.Key, others: s.Other} {
		if a := s.Call(t, "GET", path, key, ""); a.Status != 200 {
			t.Errorf("%s is %d %s", path, a.Status, a.Body)
		}
	}
	// Work is refused when nothing has room any more: what ran is answered.
	more := s.KeepResult(t, s.Tenant, 1<<20-40<<10)
	ask(t, s, more, s.Key)
	busy("POST", "/v1/executions", `{"code":"1"}`)
	read()
	if a := s.Call(t, "GET", large, s.Key, ""); a.Status != 200 {
		t.Errorf("when one has been read it is %d %s", a.Status, a.Body)
	}
	if a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`); a.Status != 200 {
		t.Errorf("when one has been read work is %d %s", a.Status, a.Body)
	}
}

// A client that comes back when only the Result is left hears ids that go on.
func TestStream_IdsNeverGoBackwards(t *testing.T) {
	s := apitest.Start(t)
	path := s.KeepResult(t, s.Tenant, 10)
	for after, want := range map[string]string{"": "id: 1\n", "7": "id: 8\n", "9223372036854775807": "id: 9223372036854775808\n"} {
		a := s.Call(t, "GET", path+"/events", s.Key, "", "Last-Event-ID", after)
		if a.Status != 200 || !strings.HasPrefix(string(a.Body), want) || !strings.Contains(string(a.Body), "event: done") {
			t.Errorf("behind %q: %d %s", after, a.Status, a.Body)
		}
	}
	a := s.Call(t, "GET", path+"/events", s.Key, "", "Last-Event-ID", "9223372036854775808")
	apitest.DemandProblem(t, "an id that none has", a, 400, cellwall.CodeBadRequest)
}

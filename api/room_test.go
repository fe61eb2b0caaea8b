package api

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func TestRoom_gives_a_tenant_its_share_and_no_more(t *testing.T) {
	r := newRoom(10)
	for i, c := range []struct {
		tenant string
		n      int64
		want   error
	}{
		{"a", 3, nil},
		{"a", 2, errShare}, // its share is 4
		{"a", 1, nil},
		{"b", 4, nil},
		{"c", 3, errFull},
		{"c", 2, nil},
		{"a", 1, errFull}, // its share would say so, too: that the room is full matters more
	} {
		if err := r.take(c.tenant, c.n, 4); !errors.Is(err, c.want) {
			t.Errorf("%d: %v, want %v", i, err, c.want)
		}
	}
	r.give("b", 4)
	if err := r.take("c", 2, 4); err != nil {
		t.Errorf("when some was given back: %v", err)
	}
	r.give("a", 4)
	r.give("c", 4)
	if r.all != 0 || len(r.each) != 0 {
		t.Errorf("when all was given back: %d, %v", r.all, r.each)
	}
}

// What is announced and does not come holds little; what comes is copied seldom.
func TestBody_grows_with_what_has_come(t *testing.T) {
	const large = 32 * int64(cellwall.MiB)
	for announced, want := range map[int64][]int64{
		60:    {61},
		5_000: {first, 5_001},
		large: {first, step, 8 * step, 64 * step, large + 1},
		0:     {first, step, 2 * step, 4 * step},
	} {
		var had int64
		for i, size := range want {
			if had = nextSize(had, announced); had != size {
				t.Errorf("of %d announced, size %d is %d, want %d", announced, i, had, size)
			}
		}
	}
}

// The time that a body may take comes from what it brought lately: it is not saved up.
func TestBody_pace_is_that_of_the_last_seconds(t *testing.T) {
	const patience = 20 * time.Second
	began := time.Now()
	for name, c := range map[string]struct {
		at, n int // seconds since the beginning, bytes
		times int // this often, one second apart
		until int // seconds since the beginning
	}{
		"nothing came":             {0, 0, 1, 20},
		"a byte now and then":      {1, 1, 19, 20},
		"as fast as it must be":    {1, slowest, 100, 120},
		"half as fast":             {1, slowest / 2, 40, 40},
		"all but the end, at once": {1, 32 << 20, 1, 21},
	} {
		b := &pacedBody{patience: patience, until: began.Add(patience)}
		for i := range c.times {
			b.pace(began.Add(time.Duration(c.at+i)*time.Second), c.n)
		}
		if got := int(b.until.Sub(began) / time.Second); got != c.until {
			t.Errorf("%s: it is ended after %d s, want %d", name, got, c.until)
		}
	}
}

// looking is work that looks at the server while it runs.
type looking struct {
	Work
	while func()
}

func (l looking) Stream(context.Context, cellwall.Request, cellwall.Sink) (*cellwall.Result, error) {
	l.while()
	return &cellwall.Result{OK: true, Status: cellwall.StatusOK}, nil
}

// anyKey opens the routes of code, for the tenant of its name.
type anyKey struct{ oneKey }

func (anyKey) Authenticate(_ context.Context, key string) (cellwall.Identity, error) {
	return cellwall.Identity{Tenant: key, Key: "key_a", Scopes: []string{cellwall.ScopeExecute}}, nil
}

// A run that takes long holds of the room for bodies what lives on of its body.
func TestBody_gives_its_room_back_when_it_is_decoded(t *testing.T) {
	padding := strings.Repeat(" ", 500_000)
	for _, path := range []string{"/execute", "/v1/executions"} {
		seen := int64(-1)
		var s *Server
		s, err := New(Options{Keys: anyKey{}, Recorder: oneKey{}, Work: looking{while: func() { seen = s.bodies.of("tnt_a") }}})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", path, strings.NewReader(`{"code":"1 + 1"`+padding+`}`))
		r.Header.Set("X-API-Key", "tnt_a")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 200 || seen != int64(len("1 + 1")) {
			t.Errorf("%s: %d, its run held %d bytes", path, w.Code, seen)
		}
		if n := s.bodies.of("tnt_a"); n != 0 {
			t.Errorf("%s: it left %d bytes", path, n)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A tenant has so many calls, and bodies, on their way; another one is answered.
func TestSeats_a_quiet_tenant_is_served_while_another_has_all_of_its_own(t *testing.T) {
	var s *Server
	s, err := New(Options{Keys: anyKey{}, Recorder: oneKey{}, Work: looking{while: func() {}}, Calls: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(tenant string) int {
		r := httptest.NewRequest("POST", "/v1/executions", strings.NewReader(`{"code":"1"}`))
		r.Header.Set("X-API-Key", tenant)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	for name, c := range map[string]struct {
		seats *room
		most  int64
	}{"calls": {s.seats.calls, 3}, "bodies": {s.seats.bodies, mostBodies}} {
		if err := c.seats.take("tnt_a", c.most, c.most); err != nil {
			t.Fatal(err)
		}
		if a, b := run("tnt_a"), run("tnt_b"); a != 429 || b != 200 {
			t.Errorf("%s: who has them all got %d, another one %d", name, a, b)
		}
		c.seats.give("tnt_a", c.most)
		if a := run("tnt_a"); a != 200 || len(c.seats.each) != 0 {
			t.Errorf("%s: when they were given back: %d, %v", name, a, c.seats.each)
		}
	}
}

package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

// begin sends a request whose body does not end: so much of so much.
func begin(t *testing.T, s *apitest.Service, key, path string, sent, announced int) io.ReadWriter {
	t.Helper()
	c := apitest.Dial(t, s)
	c.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, key, announced, strings.Repeat(" ", sent))
	return c
}

// Whoever holds all of the memory for bodies that it can get leaves enough for the
// others, and is told that it is about itself.
func TestBadInput_AQuietTenantIsServedWhileAnotherHoldsAllTheBodiesItCan(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.Held, o.BodyPatience = 64*cellwall.MiB, 5*time.Minute })
	for range 500 { // each holds 64 KiB, of 32 MiB and 64 KiB
		begin(t, s, s.Key, "/execute", 60_000, 900_000)
	}
	said := apitest.Answer{Status: 400}
	for deadline := time.Now().Add(time.Minute); said.Status == 400; said = s.Call(t, "POST", "/v1/executions", s.Key, `{`) {
		if time.Now().After(deadline) {
			t.Fatal("bodies beyond every bound are still taken")
		}
		begin(t, s, s.Key, "/execute", 60_000, 900_000)
	}
	apitest.DemandProblem(t, "who holds them", said, 429, "rate_limited")
	if got := s.Call(t, "POST", "/v1/executions", s.Other, `{"code":"1"}`); got.Status != 200 {
		t.Errorf("another tenant got %d %s", got.Status, got.Body)
	}
}

// Who sends fast and then stops is let go as soon as who never began.
func TestBadInput_ABodyThatStopsIsEnded(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.BodyPatience = 300 * time.Millisecond })
	c := begin(t, s, s.Key, "/execute", 4<<20, 8<<20)
	got, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if raw, _ := io.ReadAll(got.Body); got.StatusCode != 408 || !strings.Contains(string(raw), "too slowly") {
		t.Errorf("%d %s", got.StatusCode, raw)
	}
}

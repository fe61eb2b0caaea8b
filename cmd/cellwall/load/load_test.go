package load

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// told carries out orders as the child does.
func told(t *testing.T, orders ...Order) []answer {
	t.Helper()
	var in, out bytes.Buffer
	for _, o := range orders {
		if err := json.NewEncoder(&in).Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := serve(&in, &out); err != nil {
		t.Fatal(err)
	}
	var answers []answer
	for d := json.NewDecoder(&out); ; {
		var a answer
		if err := d.Decode(&a); err == io.EOF {
			return answers
		} else if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
}

func TestStreams_count_what_came_of_their_calls(t *testing.T) {
	var calls, strangers, connections atomic.Int64
	both := make(chan struct{}) // callers are connected: until then one may take the other's connection, and that one a third
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); string(body) != `{"code":"x"}` || r.Header.Get("X-Api-Key") != "mine" {
			strangers.Add(1)
		}
		n := calls.Add(1)
		if n == 2 {
			close(both)
		}
		<-both
		switch n % 5 {
		case 1:
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3:
			io.WriteString(w, `{"ok":false,"status":"error"}`)
		default:
			io.WriteString(w, `{"ok":true}`)
		}
	}))
	service.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	service.Start()
	defer service.Close()
	closed := Stream{Key: "mine", Body: `{"code":"x"}`, Callers: 2, Runs: 20}
	for _, a := range told(t, Order{URL: service.URL, Streams: []Stream{closed}}, Order{URL: service.URL, Streams: []Stream{closed}}) {
		if a.Error != "" || len(a.Saw) != 1 {
			t.Fatalf("%+v", a)
		}
		s := a.Saw[0]
		if len(s.OK) != 8 || s.Done != 8 || len(s.Refused) != 8 || s.Other[`200 {"ok":false,"status":"error"}`] != 4 || s.Took <= 0 {
			t.Errorf("%+v", s)
		}
	}
	if calls.Load() != 40 || strangers.Load() != 0 || connections.Load() > 2 {
		t.Errorf("%d calls, %d of them not as they were ordered, through %d connections", calls.Load(), strangers.Load(), connections.Load())
	}
}

func TestStreams_that_are_open_do_not_wait_for_answers(t *testing.T) {
	release := make(chan struct{})
	var here atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if here.Add(1) == 20 {
			close(release)
		}
		<-release
		io.WriteString(w, `{"ok":true}`)
	}))
	defer service.Close()
	a := told(t, Order{URL: service.URL, Streams: []Stream{{PerSecond: 200, For: 500 * time.Millisecond}}})
	if n := len(a[0].Saw[0].OK); a[0].Error != "" || n < 50 || n > 200 { // 100, and five deviations
		t.Errorf("%d calls in half a second at 200 a second: %+v", n, a[0].Error)
	}
}

func TestOrders_that_cannot_be_meant_are_refused(t *testing.T) {
	for _, s := range []Stream{{}, {Runs: 1, For: time.Second}, {PerSecond: 3, Runs: 1}} {
		if a := told(t, Order{Streams: []Stream{s}}); !strings.Contains(a[0].Error, "a stream has") {
			t.Errorf("%+v: %+v", s, a)
		}
	}
	if err := serve(strings.NewReader("no order\n"), io.Discard); err == nil {
		t.Error("a line that is no order was taken for one")
	}
}

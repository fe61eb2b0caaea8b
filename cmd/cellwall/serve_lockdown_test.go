package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// told reads the kinds of what a tenant was told, and the last event of a kind.
func (s *served) told(key, kind string) (kinds []string, last string) {
	s.t.Helper()
	_, _, text := s.ask(key, "GET", "/v1/events?limit=200", "")
	var list struct{ Items []cellwall.Happening }
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
	for _, e := range list.Items {
		if kinds = append(kinds, e.Kind); e.Kind == kind {
			last = string(e.Data)
		}
	}
	return kinds, last
}

// made is must for what has an id.
func (s *served) made(key, path, body string) string {
	s.t.Helper()
	status, _, text := s.ask(key, "POST", path, body)
	var one struct{ ID string }
	if err := json.Unmarshal([]byte(text), &one); err != nil || status != 201 {
		s.t.Fatalf("%s: %d %s", path, status, text)
	}
	return one.ID
}

// pager is a webhook that keeps what it hears.
type pager struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
}

func openPager(t *testing.T) *pager {
	l := &pager{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.bodies = append(l.bodies, string(body))
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *pager) heard(what string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.bodies, func(b string) bool { return strings.Contains(b, what) })
}

// incident is a service with two tenants at the moment of a lockdown: the first
// has code that matches, a session that rests and one whose cell runs.
type incident struct {
	*served
	acme, calm     string // keys
	rests, runs    string // sessions
	pager          *pager
	cell           chan string // what ends of the cell that runs
	evidenceFolder string
}

func newIncident(t *testing.T) *incident {
	t.Setenv("CELLWALL_SERVE_WEBHOOKS__ALLOW_PRIVATE", "true")
	s := serveIn(t, "cellwall", realState(t), "--workers", "2").ready()
	i := &incident{served: s, pager: openPager(t), cell: make(chan string, 1)}
	i.acme, i.calm = makeKey(t, s, "acme", "execute", "admin"), makeKey(t, s, "calm", "execute", "admin")
	i.made(i.acme, "/v1/webhooks", `{"url":"`+i.pager.URL+`"}`)
	for _, key := range []string{i.acme, i.calm} {
		if status, _, text := s.ask(key, "POST", "/v1/executions", execution("print(1)")); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	if status, _, text := s.ask(i.acme, "POST", "/v1/executions", execution("evil_marker = 1")); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	i.rests, i.runs = i.made(i.acme, "/v1/sessions", `{}`), i.made(i.acme, "/v1/sessions", `{}`)
	if status, _, text := s.ask(i.acme, "POST", "/v1/sessions/"+i.rests+"/executions", execution("x = 41")); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	go func() {
		_, _, text := s.ask(i.acme, "POST", "/v1/sessions/"+i.runs+"/executions", execution("import time; time.sleep(25)"))
		i.cell <- text
	}()
	s.await("the cell does not run", func() bool {
		_, _, text := s.ask(i.acme, "GET", "/v1/sessions/"+i.runs, "")
		return strings.Contains(text, `"running"`)
	})
	return i
}

func TestM38_AnIncidentFromTheFirstMinuteToTheLast(t *testing.T) {
	for _, way := range []string{"command line", "HTTP"} {
		t.Run(way, func(t *testing.T) {
			i := newIncident(t)
			began := time.Now()
			if way == "HTTP" {
				if status, text := call(t, i.local(), "POST", "http://local/v1/admin/lockdown", `{"why":"a test","pattern":"evil_marker"}`); status != 200 {
					t.Fatalf("%d %s", status, text)
				}
			} else {
				i.command("lockdown", "a test", "--pattern", "evil_marker")
			}
			i.nothingRuns(began)
			i.everybodyIsTold()
			i.evidenceStays()
			if way == "HTTP" {
				if status, text := call(t, i.local(), "POST", "http://local/v1/admin/unlock", `{"why":"seen"}`); status != 200 {
					t.Fatalf("%d %s", status, text)
				}
			} else {
				i.command("unlock", "seen")
			}
			i.goesOn()
		})
	}
}

// nothingRuns: the cell was cancelled, the sessions are frozen, nothing begins,
// and nothing that may be evidence can be taken away.
func (i *incident) nothingRuns(began time.Time) {
	i.t.Helper()
	if r := i.result(<-i.cell); r.Status != cellwall.StatusCancelled || time.Since(began) > 15*time.Second {
		i.t.Errorf("the cell ended as %s, %v after the lockdown", r.Status, time.Since(began))
	}
	for _, id := range []string{i.rests, i.runs} {
		i.await("a session is not frozen", func() bool {
			_, _, text := i.ask(i.acme, "GET", "/v1/sessions/"+id, "")
			return strings.Contains(text, `"paused"`)
		})
	}
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/v1/executions", execution("1")},
		{"POST", "/v1/sessions", `{}`},
		{"POST", "/v1/sessions/" + i.rests + "/executions", execution("1")},
		{"POST", "/v1/sessions/" + i.rests + "/resume", ""},
		{"DELETE", "/v1/sessions/" + i.rests, ""},
		{"DELETE", "/v1/datasets/" + cellwall.NewID("ds"), ""},
	} {
		if status, _, text := i.ask(i.acme, c.method, c.path, c.body); status != 503 || !strings.Contains(text, `"locked_down"`) {
			i.t.Errorf("%s %s: %d %s", c.method, c.path, status, text)
		}
	}
	if status, _, text := i.ask(i.acme, "GET", "/v1/executions", ""); status != 200 {
		i.t.Errorf("reading: %d %s", status, text)
	}
}

// everybodyIsTold who is concerned, and nobody else.
func (i *incident) everybodyIsTold() {
	i.t.Helper()
	i.await("the tenant is not told", func() bool {
		_, data := i.told(i.acme, kindLockdownBegun)
		return strings.Contains(data, `"suspect":1`) && strings.Contains(data, `"frozen_sessions":2`)
	})
	i.await("its webhook is not called", func() bool { return i.pager.heard(kindLockdownBegun) })
	if _, data := i.told(i.calm, kindLockdownBegun); data != "" {
		i.t.Errorf("a tenant without a part in it is told: %s", data)
	}
}

// evidenceStays in a folder, with the form for what is to be written.
func (i *incident) evidenceStays() {
	i.t.Helper()
	i.evidenceFolder = evidenceOf(i.t, i.state)
	for file, want := range map[string]string{
		"records.jsonl": "evil_marker = 1", "tenants.json": `"suspect": 1`, "chain.json": `"findings": []`, "lockdown.json": "evil_marker",
		liveFile: `"frozen": true`, noticeFile: "tnt_", postMortemFile: "Root cause",
	} {
		raw, err := os.ReadFile(filepath.Join(i.evidenceFolder, file))
		if err != nil || !strings.Contains(string(raw), want) {
			i.t.Errorf("%s: %v, without %q:\n%s", file, err, want, raw)
		}
	}
}

// goesOn: work begins again, the sessions have their state, and the pattern
// stays refused without a restart.
func (i *incident) goesOn() {
	i.t.Helper()
	i.await("work does not begin again", func() bool {
		status, _, _ := i.ask(i.acme, "POST", "/v1/executions", execution("print(2)"))
		return status == 200
	})
	i.await("the end is not told", func() bool { _, data := i.told(i.acme, kindLockdownEnded); return data != "" })
	if status, _, text := i.ask(i.acme, "POST", "/v1/sessions/"+i.rests+"/resume", ""); status != 200 {
		i.t.Errorf("resume: %d %s", status, text)
	}
	if _, _, text := i.ask(i.acme, "POST", "/v1/sessions/"+i.rests+"/executions", execution("print(x + 1)")); i.result(text).Stdout.Text != "42\n" {
		i.t.Errorf("the state of a frozen session: %s", text)
	}
	if _, _, text := i.ask(i.calm, "POST", "/v1/executions", execution("print('evil_marker')")); !strings.Contains(text, `"refused"`) {
		i.t.Errorf("the pattern: %s", text)
	}
	kinds, _ := i.told(i.acme, "")
	if n := fmt.Sprint(kinds); strings.Count(n, kindLockdownBegun) != 1 || strings.Count(n, kindLockdownEnded) != 1 {
		i.t.Errorf("told as %s", n)
	}
}

// A rule that comes without a lockdown of this service's time holds as well, at once.
func TestM38_ABlockHoldsWhileTheServiceRuns(t *testing.T) {
	s := fakeService(t)
	c := &config{StateDir: s.state}
	if status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out evil")); status != 200 || strings.Contains(text, `"refused"`) {
		t.Fatalf("%d %s", status, text)
	}
	if err := c.block(&lockdown{Pattern: "evil", Why: "a test", By: "a test", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	s.await("the block does not hold", func() bool {
		_, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out evil"))
		return strings.Contains(text, `"status":"refused"`)
	})
}

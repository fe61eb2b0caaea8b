package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/notify"
)

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// happened lists a tenant's events behind seq.
func (h *here) happened(key string, after uint64) (kinds []string, list []cellwall.Happening) {
	h.t.Helper()
	var got struct {
		Items []cellwall.Happening
		Next  uint64
	}
	h.must(http.StatusOK, key, "GET", "/v1/events?after="+strconv.FormatUint(after, 10), "").json(h.t, &got)
	for _, e := range got.Items {
		kinds = append(kinds, e.Kind)
	}
	return kinds, got.Items
}

// What happens to a tenant is told by its stream and its webhook, and to nobody
// else: over the real store, the real wall and a receiver that answers.
func TestM52_ATenantHearsWhatHappens(t *testing.T) {
	h := serveHere(t)
	var mu sync.Mutex
	var bodies, signatures, stamps, ids []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies, ids = append(bodies, string(body)), append(ids, r.Header.Get("webhook-id"))
		signatures, stamps = append(signatures, r.Header.Get("webhook-signature")), append(stamps, r.Header.Get("webhook-timestamp"))
	}))
	defer receiver.Close()
	var hook struct{ ID, Secret string }
	h.must(http.StatusCreated, "e2b_aa", "POST", "/v1/webhooks", `{"url":"`+receiver.URL+`","kinds":["execution.done","execution.refused"]}`).json(t, &hook)
	h.must(http.StatusCreated, "e2b_aa", "POST", "/v1/alerts", `{"name":"errors","measure":"verdicts","statuses":["error"],"above":0,"window_s":60}`)

	at := h.openHere("e2b_aa", `{}`)
	h.cell(at, "secret = 'never told'\n1/0")
	h.must(http.StatusNoContent, "e2b_aa", "DELETE", at, "")
	want := []string{"session.opened", "execution.done", "alert.raised", "session.ended"}
	var kinds []string
	var list []cellwall.Happening
	eventually(t, "four events", func() bool { kinds, list = h.happened("e2b_aa", 0); return len(kinds) >= 4 })
	slices.Sort(kinds)
	slices.Sort(want)
	if !slices.Equal(kinds, want) {
		t.Errorf("%q, want %q", kinds, want)
	}
	for i, e := range list {
		if e.Seq != uint64(i+1) || strings.Contains(string(e.Data), "secret") {
			t.Errorf("event %+v: %s", e, e.Data)
		}
	}
	if kinds, _ := h.happened("e2b_bb", 0); len(kinds) != 0 {
		t.Errorf("another tenant hears %q", kinds)
	}
	eventually(t, "the webhook is called", func() bool { mu.Lock(); defer mu.Unlock(); return len(bodies) > 0 })
	mu.Lock()
	defer mu.Unlock()
	seconds, err := strconv.ParseInt(stamps[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := notify.Sign(hook.Secret, ids[0], time.Unix(seconds, 0), []byte(bodies[0]))
	if err != nil || signed != signatures[0] || !strings.Contains(bodies[0], `"type":"execution.done"`) || strings.Contains(bodies[0], "never told") {
		t.Errorf("%s signed %s, want %s, %v", bodies[0], signatures[0], signed, err)
	}
}

func TestM52_AStreamOfEventsGoesOn(t *testing.T) {
	h := serveHere(t)
	for range 3 {
		h.bus.Tell(cellwall.Happening{Tenant: "tnt_a", Kind: "execution.done", Data: []byte(`{"execution_id":"exec_x"}`)})
	}
	eventually(t, "they are kept", func() bool { kinds, _ := h.happened("e2b_ae", 0); return len(kinds) == 3 })
	req, err := http.NewRequestWithContext(t.Context(), "GET", h.URL+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer e2b_ae")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Last-Event-ID", "2")
	res, err := h.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	var seen []string
	for lines.Scan() && len(seen) < 2 {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			if seen = append(seen, id); len(seen) == 1 {
				h.bus.Tell(cellwall.Happening{Tenant: "tnt_b", Kind: "execution.done", Data: []byte(`{}`)})
				h.bus.Tell(cellwall.Happening{Tenant: "tnt_a", Kind: "execution.done", Data: []byte(`{}`)})
			}
		}
	}
	if !slices.Equal(seen, []string{"3", "4"}) {
		t.Errorf("%q", seen)
	}
	for query, want := range map[string]int{"?after=-1": 422, "?after=x": 422, "?limit=0": 422, "?limit=201": 422, "?x=1": 422, "?after=1&after=2": 422, "?after=99&limit=1": 200} {
		if got := h.send("e2b_ae", "GET", "/v1/events"+query, ""); got.StatusCode != want {
			t.Errorf("%s: %d %s", query, got.StatusCode, got.body)
		}
	}
}

func TestM52_AWebhookAndARuleAreCheckedWhenTheyAreMade(t *testing.T) {
	h := serveHere(t)
	for _, test := range []struct {
		path, body string
		want       int
	}{
		{"/v1/webhooks", `{"url":"ftp://example.com"}`, 400},
		{"/v1/webhooks", `{"url":"https://u:p@example.com"}`, 400},
		{"/v1/webhooks", `{"url":""}`, 422},
		{"/v1/webhooks", `{"url":"https://example.com","kinds":["x"]}`, 400},
		{"/v1/webhooks", `{"url":"https://example.com","secret":"x"}`, 422},
		{"/v1/alerts", `{"name":"n","measure":"queue_waiting","above":1,"window_s":60}`, 403},
		{"/v1/alerts", `{"name":"n","measure":"load","above":1,"window_s":60}`, 422},
		{"/v1/alerts", `{"name":"n","measure":"verdicts","above":-1,"window_s":60}`, 422},
		{"/v1/alerts", `{"name":"n","measure":"verdict_share","above":1,"window_s":60}`, 400},
	} {
		if got := h.send("e2b_aa", "POST", test.path, test.body); got.StatusCode != test.want {
			t.Errorf("%s: %d %s, want %d", test.body, got.StatusCode, got.body, test.want)
		}
	}
	var made struct{ ID string }
	h.must(http.StatusCreated, "e2b_aa", "POST", "/v1/webhooks", `{"url":"https://example.com/x"}`).json(t, &made)
	if got := h.must(http.StatusOK, "e2b_aa", "GET", "/v1/webhooks/"+made.ID, ""); strings.Contains(got.body, "whsec_") {
		t.Errorf("the secret is shown again: %s", got.body)
	}
	h.must(http.StatusNoContent, "e2b_aa", "DELETE", "/v1/webhooks/"+made.ID, "")
	h.must(http.StatusNotFound, "e2b_aa", "GET", "/v1/webhooks/"+made.ID, "")
}

func TestM52_WorkIsLeftBehind(t *testing.T) {
	h := serveHere(t)
	h.keys.terms["tnt_a"] = cellwall.Terms{Background: 2}
	at := h.openHere("e2b_aa", `{"limits":{"timeout_ms":60000}}`)
	got := h.must(http.StatusAccepted, "e2b_aa", "POST", at+"/executions", `{"code":"import time; time.sleep(2); print('later')","metadata":{"n":"1"}}`,
		"Prefer", "respond-async", "Idempotency-Key", "once")
	var k struct {
		ID, State string
		Metadata  map[string]string
	}
	got.json(t, &k)
	if got.Header.Get("Location") != "/v1/executions/"+k.ID || got.Header.Get("Preference-Applied") != "respond-async" || k.State != "queued" || k.Metadata["n"] != "1" {
		t.Errorf("%+v, %v", k, got.Header)
	}
	again := h.must(http.StatusAccepted, "e2b_aa", "POST", at+"/executions", `{"code":"import time; time.sleep(2); print('later')","metadata":{"n":"1"}}`,
		"Prefer", "respond-async", "Idempotency-Key", "once")
	if again.body != got.body {
		t.Errorf("again: %s, first %s", again.body, got.body)
	}
	h.must(http.StatusAccepted, "e2b_aa", "POST", at+"/executions", `{"code":"1"}`, "Prefer", "respond-async")
	if full := h.send("e2b_aa", "POST", at+"/executions", `{"code":"1"}`, "Prefer", "respond-async"); full.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a third one: %d %s", full.StatusCode, full.body)
	}
	h.must(http.StatusAccepted, "e2b_aa", "GET", "/v1/executions/"+k.ID, "")
	events := h.must(http.StatusOK, "e2b_aa", "GET", "/v1/executions/"+k.ID+"/events", "", "Accept", "text/event-stream")
	if !strings.Contains(events.body, `{"text":"later\n"}`) || !strings.Contains(events.body, "event: done\n") {
		t.Errorf("events: %.300s", events.body)
	}
	if got := h.send("e2b_bb", "GET", "/v1/executions/"+k.ID, ""); got.StatusCode != http.StatusNotFound {
		t.Errorf("another tenant: %d", got.StatusCode)
	}
}

// Whatever an event is made of can be decoded again.
func TestM52_EventsAreJSON(t *testing.T) {
	raw, err := json.Marshal(executionTold{ID: "exec_a", Status: cellwall.StatusOK})
	if err != nil || string(raw) != `{"execution_id":"exec_a","status":"ok","wall_ms":0,"artifacts":0}` {
		t.Errorf("%s, %v", raw, err)
	}
}

package apitest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cellwall/cellwall"
)

func body(t *testing.T, v map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// list is the frame of every list.
type List[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"`
}

type Listed struct {
	ID, State, Status string
	Metadata          map[string]string
}

func anExecutionOverHTTPAndItsResultLater(t *testing.T, s *Service) {
	first := s.Call(t, "POST", "/v1/executions", s.Key, body(t, map[string]any{
		"code": "print('héllo 世界'); open('a.txt','w').write('x'); 6*7", "metadata": map[string]string{"ticket": "7"},
		"limits": map[string]any{"timeout_ms": 5000}, "token_cost": 0.25, "purpose": "a test",
	}), "X-Request-Id", "mine-1")
	r := Into[cellwall.Result](t, first, 200)
	if !r.OK || r.Stdout.Text != "héllo 世界\n" || len(r.Results) != 1 || len(r.Artifacts) != 1 {
		t.Fatalf("%s", first.Body)
	}
	if got := first.Header.Get("X-Request-Id"); got != "mine-1" {
		t.Errorf("the call is named %q", got)
	}
	again := s.Call(t, "GET", "/v1/executions/"+r.ID, s.Key, "")
	if again.Status != 200 || !bytes.Equal(bytes.TrimSpace(again.Body), bytes.TrimSpace(first.Body)) {
		t.Errorf("asked later it is %d %s,\nfirst it was %s", again.Status, again.Body, first.Body)
	}
	if a := s.Call(t, "GET", "/v1/executions/"+r.ID, s.Key, "", "If-None-Match", again.Header.Get("Etag")); a.Status != 304 || len(a.Body) > 0 {
		t.Errorf("with its ETag it is %d with %d bytes", a.Status, len(a.Body))
	}
	l := Into[List[Listed]](t, s.Call(t, "GET", "/v1/executions", s.Key, ""), 200)
	if len(l.Items) != 1 || l.Items[0].ID != r.ID || l.Items[0].Metadata["ticket"] != "7" || l.Items[0].State != "done" {
		t.Errorf("the list has %+v", l.Items)
	}
	records := s.Records(t)
	for _, want := range []string{`"request_id":"mine-1"`, `"token_cost":0.25`, `"ticket":"7"`, `"purpose":"a test"`, `"tenant":"` + s.Tenant + `"`} {
		if !strings.Contains(records, want) {
			t.Errorf("the record lacks %s: %s", want, records)
		}
	}
}

func codeThatFailsIsAnAnswerAndNoError(t *testing.T, s *Service) {
	r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"{}['x']"}`), 200)
	if r.OK || r.Status != cellwall.StatusError || r.Error == nil || r.Error.Type != "KeyError" {
		t.Errorf("%+v", r)
	}
	r = Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"while True: pass","limits":{"timeout_ms":300}}`), 200)
	if r.Status != cellwall.StatusTimeout {
		t.Errorf("an endless loop ended as %s", r.Status)
	}
}

func anothersExecutionIsNotThere(t *testing.T, s *Service) {
	r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"open('a.txt','w').write('secret'); 1"}`), 200)
	for _, path := range []string{"/v1/executions/%s", "/v1/executions/%s/events"} {
		others := s.Call(t, "GET", fmt.Sprintf(path, r.ID), s.Other, "", "X-Request-Id", "x")
		random := s.Call(t, "GET", fmt.Sprintf(path, cellwall.NewID(cellwall.PrefixExecution)), s.Other, "", "X-Request-Id", "x")
		if others.Status != 404 || random.Status != 404 || !bytes.Equal(others.Body, random.Body) {
			t.Errorf("%s: another's is %d %s, what is not there %d %s", path, others.Status, others.Body, random.Status, random.Body)
		}
	}
	if l := Into[List[Listed]](t, s.Call(t, "GET", "/v1/executions", s.Other, ""), 200); len(l.Items) != 0 {
		t.Errorf("another tenant lists %+v", l.Items)
	}
	art := r.Artifacts[0].ID
	others, random := s.Call(t, "GET", "/v1/artifacts/"+art, s.Other, ""), s.Call(t, "GET", "/v1/artifacts/art_nothing", s.Other, "")
	if others.Status != 404 || random.Status != 404 {
		t.Errorf("another's artifact is %d, none is %d", others.Status, random.Status)
	}
}

func aListIsReadInPagesAndACursorIsItsTenants(t *testing.T, s *Service) {
	var want []string
	for range 5 {
		r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`), 200)
		want = append([]string{r.ID}, want...)
	}
	var got []string
	for after := ""; ; {
		l := Into[List[Listed]](t, s.Call(t, "GET", "/v1/executions?limit=2&after="+after, s.Key, ""), 200)
		for _, e := range l.Items {
			got = append(got, e.ID)
		}
		if l.Next == nil {
			break
		}
		after = *l.Next
		if a := s.Call(t, "GET", "/v1/executions?after="+after, s.Other, ""); a.Status != 400 {
			t.Errorf("another tenant's cursor is answered with %d", a.Status)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages have %v, want %v", got, want)
	}
}

func aKeyedRequestRunsOnce(t *testing.T, s *Service) {
	const code = `{"code":"import time; time.sleep(0.3); print(__import__('random').random())"}`
	answers := make([]Answer, 6)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = s.Call(t, "POST", "/v1/executions", s.Key, code, "Idempotency-Key", "k 1") })
	}
	all.Wait()
	replayed := 0
	for _, a := range answers {
		if a.Status != 200 || !bytes.Equal(bytes.TrimSpace(a.Body), bytes.TrimSpace(answers[0].Body)) {
			t.Errorf("%d %s, want %s", a.Status, a.Body, answers[0].Body)
		}
		if a.Header.Get("Idempotency-Replayed") == "true" {
			replayed++
		}
	}
	if replayed != len(answers)-1 {
		t.Errorf("%d of %d answers are replayed", replayed, len(answers))
	}
	if n := strings.Count(s.Records(t), `"code_sha256"`); n != 1 {
		t.Errorf("the code ran %d times", n)
	}
	if a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"2"}`, "Idempotency-Key", "k 1"); a.Status != 409 {
		t.Errorf("another body under the key is answered with %d %s", a.Status, a.Body)
	}
	if a := s.Call(t, "POST", "/v1/executions", s.Other, `{"code":"2"}`, "Idempotency-Key", "k 1"); a.Status != 200 || a.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("another tenant's key of the same text is answered with %d", a.Status)
	}
	// A refusal is not kept: the same request may be sent again.
	for range 2 {
		a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1","datasets":["ds_aaaaaaaaaaaaaaaaaaaaaaaaaa"]}`, "Idempotency-Key", "k 2")
		if a.Status != 404 || a.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("a refusal under a key is %d %s", a.Status, a.Body)
		}
	}
}

func aFormBringsFilesForOneExecution(t *testing.T, s *Service) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.WriteField("request", `{"code":"import os; print(sorted(os.listdir('/workspace/input')), int(df.x.sum()))"}`)
	for _, content := range []string{"x\n1\n2\n", "x\n10\n"} {
		part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="../../etc/a.csv"`}})
		if err != nil {
			t.Fatal(err)
		}
		part.Write([]byte(content))
	}
	w.Close()
	r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, b.String(), "Content-Type", w.FormDataContentType()), 200)
	if r.Stdout.Text != "['a.csv', 'a_2.csv'] 3\n" {
		t.Errorf("%q %+v", r.Stdout.Text, r.Error)
	}
	if left, err := filepath.Glob(filepath.Join(s.State, "cellwall-request-*")); err != nil || len(left) > 0 {
		t.Errorf("left in the spool: %v %v", left, err)
	}
}

func anExecutionIsStreamedAndResumed(t *testing.T, s *Service) {
	a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"print(1); print(2); 3"}`, "Accept", "text/event-stream", "Idempotency-Key", "s")
	if a.Status != 200 || a.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v %s", a.Status, a.Header, a.Body)
	}
	events := parseEvents(a.Body)
	if len(events) < 4 || events[0].kind != "started" || events[len(events)-1].kind != "done" {
		t.Fatalf("%+v", events)
	}
	var done cellwall.Result
	if err := json.Unmarshal([]byte(events[len(events)-1].data), &done); err != nil || done.Stdout.Text != "1\n2\n" {
		t.Errorf("done carries %v %+v", err, done)
	}
	rest := s.Call(t, "GET", "/v1/executions/"+done.ID+"/events", s.Key, "", "Last-Event-ID", events[0].id)
	if got := parseEvents(rest.Body); len(got) != len(events)-1 || got[0] != events[1] {
		t.Errorf("resumed behind the first event: %+v", got)
	}
	if a := s.Call(t, "GET", "/v1/executions/"+done.ID+"/events", s.Key, "", "Last-Event-ID", events[len(events)-1].id); a.Status != 204 {
		t.Errorf("behind the last event it is %d", a.Status)
	}
	again := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"print(1); print(2); 3"}`, "Accept", "text/event-stream", "Idempotency-Key", "s")
	if got := parseEvents(again.Body); len(got) != 1 || got[0].kind != "done" || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again under its key: %v %s", again.Header, again.Body)
	}
	if a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1","environment":"no-such"}`, "Accept", "text/event-stream"); a.Status != 404 {
		t.Errorf("what is refused before it began is %d %s", a.Status, a.Body)
	}
}

type event struct{ id, kind, data string }

func parseEvents(raw []byte) (events []event) {
	var e event
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case lines.Text() == "":
			if e.kind != "" {
				events = append(events, e)
			}
			e = event{}
		case name == "id":
			e.id = value
		case name == "event":
			e.kind = value
		case name == "data":
			e.data = value
		}
	}
	return events
}

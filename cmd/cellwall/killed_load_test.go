package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// asked is what clients have asked for under idempotency keys.
type asked struct {
	mu      sync.Mutex
	kind    string
	waiting []string          // keys without an answer
	ids     map[string]string // of answered ones: key → execution
	next    int
}

func (a *asked) take() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.waiting); n > 0 {
		key := a.waiting[n-1]
		a.waiting = a.waiting[:n-1]
		return key
	}
	a.next++
	return fmt.Sprintf("%s-%d", a.kind, a.next)
}

func (a *asked) put(key, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if id == "" {
		a.waiting = append(a.waiting, key)
		return
	}
	a.ids[key] = id
}

// codeOfKey is a program with one countable effect; keyOfCode is its key.
func codeOfKey(key string) string {
	return "open('effect.txt', 'w').write('" + key + "'); print('" + key + "')"
}

func keyOfCode(code string) (string, bool) {
	rest, ok := strings.CutPrefix(code, "open('effect.txt', 'w').write('")
	key, _, _ := strings.Cut(rest, "'")
	return key, ok
}

// crowd is the clients of a service that is killed, and what they were told.
type crowd struct {
	t      *testing.T
	random *rand.Rand
	hook   *httptest.Server

	asked  *asked // executions that are waited for
	behind *asked // and those that are not

	mu       sync.Mutex
	sessions map[string]bool   // that were answered
	cells    map[string]string // execution → what it printed
	uploads  []*upload         // the last one is under way
	heard    map[string]bool   // events, by the webhook
}

// upload is a dataset on its way.
type upload struct {
	key, id string
	content string
	offset  int // that was answered
	dataset string
}

func newCrowd(t *testing.T, random *rand.Rand) *crowd {
	l := &crowd{
		t: t, random: random, asked: &asked{kind: "key", ids: map[string]string{}}, behind: &asked{kind: "behind", ids: map[string]string{}},
		sessions: map[string]bool{}, cells: map[string]string{}, heard: map[string]bool{},
	}
	l.hook = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.heard[r.Header.Get("webhook-id")] = true
	}))
	t.Cleanup(l.hook.Close)
	return l
}

// serve starts a service, and has it tell by a webhook, once for all of them.
func (l *crowd) serve(state string) *served {
	l.t.Helper()
	l.t.Setenv("CELLWALL_SERVE_WEBHOOKS__ALLOW_PRIVATE", "true")
	s := serveIn(l.t, "cellwall", state).ready()
	var list struct{ Items []any }
	_, text := call(l.t, s.local(), "GET", "http://local/v1/webhooks", "")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		l.t.Fatal(err)
	}
	if len(list.Items) == 0 {
		if status, text := call(l.t, s.local(), "POST", "http://local/v1/webhooks", `{"url":"`+l.hook.URL+`"}`); status != 201 {
			l.t.Fatalf("%d %s", status, text)
		}
	}
	return s
}

// clients ask until they are told that the service is gone.
func (l *crowd) clients() []func(*served) bool {
	return []func(*served) bool{l.execute, l.execute, l.execute, l.leave, l.session, l.session, l.send}
}

// call sends one request; ok is false when the service is gone, or has no turn for
// it soon enough.
func (l *crowd) call(s *served, want []int, method, path, body string, headers ...string) (text string, ok bool) {
	status, text, err := tryCall(s.local(), method, "http://local"+path, body, headers...)
	if err != nil || status == http.StatusServiceUnavailable {
		return "", false
	}
	if !slices.Contains(want, status) {
		l.t.Errorf("%s %s: %d %s", method, path, status, text)
		return "", false
	}
	return text, true
}

func (l *crowd) execute(s *served) bool {
	key := l.asked.take()
	text, ok := l.call(s, []int{200}, "POST", "/v1/executions", execution(codeOfKey(key)), "Idempotency-Key", key)
	if !ok {
		l.asked.put(key, "")
		return false
	}
	r := s.result(text)
	if r.Stdout.Text != key+"\n" || len(r.Artifacts) != 1 {
		l.t.Errorf("%s: answered %s", key, text)
	}
	l.asked.put(key, r.ID)
	return true
}

func (l *crowd) leave(s *served) bool {
	key := l.behind.take()
	// It may be done: a service before this one took it and died before it said so.
	text, ok := l.call(s, []int{202, 200}, "POST", "/v1/executions", execution(codeOfKey(key)), "Idempotency-Key", key, "Prefer", "respond-async")
	var k struct{ ID string }
	if !ok || json.Unmarshal([]byte(text), &k) != nil || k.ID == "" {
		l.behind.put(key, "")
		return false
	}
	l.behind.put(key, k.ID)
	time.Sleep(150 * time.Millisecond) // else they would take every turn
	return true
}

func (l *crowd) session(s *served) bool {
	text, ok := l.call(s, []int{201}, "POST", "/v1/sessions", `{}`)
	var one struct{ ID string }
	if !ok || json.Unmarshal([]byte(text), &one) != nil {
		return false
	}
	l.mu.Lock()
	l.sessions[one.ID] = true
	l.mu.Unlock()
	for n := range 3 {
		printed := one.ID + " " + strconv.Itoa(n)
		text, ok := l.call(s, []int{200}, "POST", "/v1/sessions/"+one.ID+"/executions", execution("print('"+printed+"')"), "Idempotency-Key", printed)
		if !ok {
			return false
		}
		l.mu.Lock()
		l.cells[s.result(text).ID] = printed
		l.mu.Unlock()
	}
	_, ok = l.call(s, []int{204}, "DELETE", "/v1/sessions/"+one.ID, "")
	return ok
}

const piece = 8 << 10

// send goes on with the upload, wherever the service says that it stands.
func (l *crowd) send(s *served) bool {
	if n := len(l.uploads); n == 0 || l.uploads[n-1].dataset != "" {
		l.uploads = append(l.uploads, &upload{
			key: fmt.Sprint("upload-", n), content: "a,b\n" + strings.Repeat(fmt.Sprintf("%d,1\n", n), 8*piece/4),
		})
	}
	u := l.uploads[len(l.uploads)-1]
	if u.id == "" {
		text, ok := l.call(s, []int{201}, "POST", "/v1/uploads", fmt.Sprintf(`{"name":"%s.csv","size":%d}`, u.key, len(u.content)), "Idempotency-Key", u.key)
		var made struct{ ID string }
		if !ok || json.Unmarshal([]byte(text), &made) != nil {
			return false
		}
		u.id = made.ID
	}
	text, ok := l.call(s, []int{200}, "GET", "/v1/uploads/"+u.id, "")
	var now struct{ Received int }
	if !ok || json.Unmarshal([]byte(text), &now) != nil {
		return false
	}
	if now.Received < u.offset {
		l.t.Errorf("%d bytes were answered for, %d are there", u.offset, now.Received)
	}
	return l.sendFrom(s, u, now.Received)
}

func (l *crowd) sendFrom(s *served, u *upload, at int) bool {
	for u.dataset == "" {
		end := min(at+piece, len(u.content))
		status, text, err := tryCall(s.local(), "PATCH", "http://local/v1/uploads/"+u.id, u.content[at:end],
			"Content-Type", "application/offset+octet-stream", "Upload-Offset", strconv.Itoa(at))
		if err != nil || status == http.StatusServiceUnavailable {
			return false
		}
		switch at = end; status {
		case 204:
			u.offset = at
		case 201:
			var d struct{ ID string }
			if json.Unmarshal([]byte(text), &d) != nil {
				return false
			}
			u.dataset = d.ID
		default:
			l.t.Errorf("piece at %d: %d %s", at, status, text)
			return false
		}
	}
	return true
}

// finish has every key answered, and waits until nothing is under way.
func (l *crowd) finish(s *served) {
	s.await("some keys are never answered", func() bool {
		for len(l.asked.waiting) > 0 && l.execute(s) {
		}
		for len(l.behind.waiting) > 0 && l.leave(s) {
		}
		if n := len(l.uploads); n > 0 && l.uploads[n-1].dataset == "" {
			l.send(s)
			return false
		}
		return len(l.asked.waiting)+len(l.behind.waiting) == 0
	})
	for key, id := range l.behind.ids {
		s.await(key+" never ends", func() bool {
			_, text := call(l.t, s.local(), "GET", "http://local/v1/executions/"+id, "")
			return !strings.Contains(text, `"state":"queued"`) && !strings.Contains(text, `"state":"running"`)
		})
	}
}

// checkAnswers asks again for everything that was answered, whoever did.
func (l *crowd) checkAnswers(s *served) {
	for key, id := range l.asked.ids {
		l.has(s, id, key)
	}
	for id, printed := range l.cells {
		l.has(s, id, printed)
	}
	lost := 0
	for key, id := range l.behind.ids {
		status, text := call(l.t, s.local(), "GET", "http://local/v1/executions/"+id, "")
		if strings.Contains(text, `"state":"lost"`) {
			lost++
		} else if status != 200 || !strings.Contains(text, key) {
			l.t.Errorf("%s: %d %s", key, status, text)
		}
	}
	for _, u := range l.uploads {
		_, text := call(l.t, s.local(), "GET", "http://local/v1/datasets/"+u.dataset+"/content", "")
		if sha256.Sum256([]byte(text)) != sha256.Sum256([]byte(u.content)) {
			l.t.Errorf("%s has %d bytes, sent were %d", u.key, len(text), len(u.content))
		}
	}
	l.t.Logf("%d of %d left behind were lost", lost, len(l.behind.ids))
}

func (l *crowd) has(s *served, id, what string) {
	if status, text := call(l.t, s.local(), "GET", "http://local/v1/executions/"+id, ""); status != 200 || !strings.Contains(text, what) {
		l.t.Errorf("%s: %d %s", what, status, text)
	}
}

package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// openHere opens a session over HTTP.
func (h *here) openHere(key, body string) string {
	h.t.Helper()
	var s struct{ ID string }
	h.must(http.StatusCreated, key, "POST", "/v1/sessions", body).json(h.t, &s)
	return "/v1/sessions/" + s.ID
}

// cell runs one cell and returns its Result.
func (h *here) cell(at, code string) cellwall.Result {
	h.t.Helper()
	body, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		h.t.Fatal(err)
	}
	var r cellwall.Result
	h.must(http.StatusOK, "e2b_aa", "POST", at+"/executions", string(body)).json(h.t, &r)
	return r
}

func TestM52_ASessionOverHTTP(t *testing.T) {
	h := serveHere(t)
	at := h.openHere("e2b_aa", `{"limits":{"timeout_ms":20000},"idle_timeout_s":60,"metadata":{"a":"b"}}`)
	if r := h.cell(at, "x = 41\nprint('中文', x + 1)"); r.Stdout.Text != "中文 42\n" || r.SessionID == nil || "/v1/sessions/"+*r.SessionID != at {
		t.Fatalf("%+v", r)
	}
	var view struct {
		ID, State, Environment, Backend, Branch string
		Limits                                  struct {
			Timeout int64 `json:"timeout_ms"`
		}
		Expires     time.Time `json:"expires_at"`
		Executions  int
		Checkpoints []cellwall.Checkpoint
		Usage       spentView
	}
	h.must(http.StatusOK, "e2b_aa", "GET", at, "").json(t, &view)
	if u := view.Usage; u.CPUMS <= 0 || u.BetweenCPUMS == nil || *u.BetweenCPUMS < 0 {
		t.Errorf("it used %+v", u)
	}
	if view.State != "ready" || view.Executions != 1 || view.Limits.Timeout != 20_000 || view.Environment == "" || view.Backend == "" ||
		time.Until(view.Expires) > time.Minute || len(view.Checkpoints) == 0 || view.Checkpoints[0].Execution == "" {
		t.Errorf("%+v", view)
	}
	var list struct{ Items []struct{ ID string } }
	h.must(http.StatusOK, "e2b_aa", "GET", "/v1/sessions", "").json(t, &list)
	if len(list.Items) != 1 || list.Items[0].ID != view.ID {
		t.Errorf("list %+v", list)
	}
	h.mayAlso(at)
	h.must(http.StatusNoContent, "e2b_aa", "DELETE", at, "")
	if got := h.send("e2b_aa", "POST", at+"/executions", `{"code":"1"}`); got.StatusCode != http.StatusConflict {
		t.Errorf("a cell of a session that was closed: %d %s", got.StatusCode, got.body)
	}
}

// mayAlso goes through what else a session can do.
func (h *here) mayAlso(at string) {
	t := h.t
	t.Helper()
	var back struct {
		Checkpoint string
		Lost       []cellwall.Notice
	}
	h.cell(at, "x = 0")
	h.must(http.StatusOK, "e2b_aa", "POST", at+"/rollback", `{}`).json(t, &back)
	if back.Checkpoint == "" || back.Lost == nil {
		t.Errorf("rollback: %+v", back)
	}
	h.must(http.StatusOK, "e2b_aa", "POST", at+"/rollback", `{"to":"`+back.Checkpoint+`"}`)
	if got := h.send("e2b_aa", "POST", at+"/rollback", `{"to":"cp_none"}`); got.StatusCode != http.StatusNotFound {
		t.Errorf("to nowhere: %d %s", got.StatusCode, got.body)
	}
	var made struct{ Branch, Checkpoint string }
	h.must(http.StatusCreated, "e2b_aa", "POST", at+"/branch", `{"from":"`+back.Checkpoint+`"}`).json(t, &made)
	if made.Branch != "branch-2" || made.Checkpoint != back.Checkpoint {
		t.Errorf("branch: %+v", made)
	}
	h.must(http.StatusCreated, "e2b_aa", "POST", at+"/branch", `{"name":"main"}`)
	if got := h.send("e2b_aa", "POST", at+"/pause", ""); got.StatusCode == http.StatusOK {
		if got := h.send("e2b_aa", "POST", at+"/executions", `{"code":"1"}`); got.StatusCode != http.StatusConflict {
			t.Errorf("a cell while paused: %d %s", got.StatusCode, got.body)
		}
		h.must(http.StatusOK, "e2b_aa", "POST", at+"/resume", "")
	} else {
		t.Logf("this host freezes nothing: %s", got.body)
	}
	h.must(http.StatusAccepted, "e2b_aa", "POST", at+"/interrupt", "")
	for body, want := range map[string]int{
		`{}`: 422, `{"code":""}`: 422, `{"code":"1","x":1}`: 422, `{"code":"1","timeout_ms":30000}`: 400, `nul`: 400,
		`{"code":"1","language":"r"}`: 422, `{"code":"1","context":"other"}`: 422,
	} {
		if got := h.send("e2b_aa", "POST", at+"/executions", body); got.StatusCode != want || !strings.HasPrefix(got.Header.Get("Content-Type"), "application/problem+json") {
			t.Errorf("%s: %d %s, want %d", body, got.StatusCode, got.body, want)
		}
	}
}

func TestM52_ACellIsInterruptedOverHTTP(t *testing.T) {
	h := serveHere(t)
	at := h.openHere("e2b_aa", `{"limits":{"timeout_ms":60000}}`)
	req, err := http.NewRequestWithContext(t.Context(), "POST", h.URL+at+"/executions",
		strings.NewReader(`{"code":"x = 1\nprint('on')\nimport time\ntime.sleep(50)"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", "e2b_aa")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	res, err := h.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	var kinds []string
	var r cellwall.Result
	for lines.Scan() {
		kind, ok := strings.CutPrefix(lines.Text(), "event: ")
		switch {
		case ok:
			kinds = append(kinds, kind)
		case strings.Contains(lines.Text(), `"on\n"`) && kinds[len(kinds)-1] == "stdout":
			h.must(http.StatusAccepted, "e2b_aa", "POST", at+"/interrupt", "")
		case kinds != nil && kinds[len(kinds)-1] == "done" && strings.HasPrefix(lines.Text(), "data: "):
			if err := json.Unmarshal([]byte(lines.Text()[6:]), &r); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r.Error == nil || r.Error.Type != "KeyboardInterrupt" || kinds[0] != "started" || kinds[len(kinds)-1] != "done" {
		t.Errorf("%q, %+v", kinds, r.Error)
	}
	if r := h.cell(at, "print(x)"); r.Stdout.Text != "1\n" {
		t.Errorf("the state is gone: %+v", r)
	}
	// Who lost the line asks again.
	again := h.must(http.StatusOK, "e2b_aa", "GET", "/v1/executions/"+r.ID+"/events", "", "Last-Event-ID", "1", "Accept", "text/event-stream")
	if !strings.HasPrefix(again.body, "id: 2\nevent: stdout\n") || !strings.Contains(again.body, "event: done\n") {
		t.Errorf("resumed: %.200s", again.body)
	}
}

func TestM41_FilesOfASessionOverHTTP(t *testing.T) {
	h := serveHere(t)
	at := h.openHere("e2b_aa", `{}`)
	h.must(http.StatusCreated, "e2b_aa", "PUT", at+"/files/in/数据.csv", "a\n1\n", "Content-Type", "application/octet-stream")
	if r := h.cell(at, "import os\nprint(open('in/数据.csv').read(), os.stat('in/数据.csv').st_uid == os.getuid())\n_ = open('out.csv', 'w').write('x\\n2\\n')"); r.Stdout.Text != "a\n1\n True\n" ||
		len(r.Artifacts) != 1 || r.Artifacts[0].Name != "out.csv" {
		t.Errorf("%q, %+v, %+v", r.Stdout.Text, r.Error, r.Artifacts)
	}
	got := h.must(http.StatusOK, "e2b_aa", "GET", at+"/files/out.csv", "")
	if got.body != "x\n2\n" || got.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%q, %v", got.body, got.Header)
	}
	var list struct{ Items []struct{ Name, Kind string } }
	h.must(http.StatusOK, "e2b_aa", "GET", at+"/files", "").json(t, &list)
	if len(list.Items) != 3 {
		t.Errorf("%+v", list)
	}
	h.cell(at, "import os; os.symlink('/etc/passwd', 'link'); os.mkfifo('pipe')")
	for _, test := range []struct {
		method, name string
		want         int
	}{
		{"GET", "link", 409},
		{"GET", "pipe", 409},
		{"GET", "none", 404},
		{"GET", "in", 409},
		{"GET", "%2e%2e/x", 404},
		{"GET", "a%2f..%2f..%2fx", 404},
		{"GET", "a%5c..%5cx", 400},
		{"PUT", "link", 201},
		{"DELETE", "in", 409},
		{"DELETE", "out.csv", 204},
		{"GET", "out.csv", 404},
	} {
		body := ""
		if test.method == "PUT" {
			body = "mine"
		}
		got := h.send("e2b_aa", test.method, at+"/files/"+test.name, body, "Content-Type", "application/octet-stream")
		if got.StatusCode != test.want || strings.Contains(got.body, "/tmp") || strings.Contains(got.body, "root:") {
			t.Errorf("%s %s: %d %.200s, want %d", test.method, test.name, got.StatusCode, got.body, test.want)
		}
	}
}

package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// "Side by side … only where it is honest, otherwise a fresh sandbox with exported
// state; a running command makes it a conflict, or is dropped on request."
func TestM40_ASessionIsForkedOverHTTP(t *testing.T) {
	h := serveHere(t)
	at := h.openHere("e2b_aa", `{"limits":{"timeout_ms":60000}}`)
	h.cell(at, "x = [1, 2]; open('a.txt', 'w').write('both'); import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()")
	var made struct {
		Session    struct{ ID, State string }
		Origin     string
		SharedWall *bool `json:"shared_wall"`
		Lost       []cellwall.Notice
	}
	got := h.must(http.StatusCreated, "e2b_aa", "POST", at+"/fork", "", "Idempotency-Key", "f")
	got.json(t, &made)
	fork := got.Header.Get("Location")
	if fork != "/v1/sessions/"+made.Session.ID || "/v1/sessions/"+made.Origin != at || made.SharedWall == nil || *made.SharedWall || made.Session.State != "ready" {
		t.Errorf("%s %v", got.body, got.Header)
	}
	if len(made.Lost) != 1 || !strings.Contains(made.Lost[0].Code, "thread") {
		t.Errorf("what did not come along: %+v", made.Lost)
	}
	if again := h.must(http.StatusCreated, "e2b_aa", "POST", at+"/fork", "", "Idempotency-Key", "f"); again.body != got.body {
		t.Errorf("again under its key: %s", again.body)
	}
	h.cell(fork, "x.append(3); open('a.txt', 'w').write('fork')")
	if r := h.cell(at, "print(x, open('a.txt').read())"); r.Stdout.Text != "[1, 2] both\n" {
		t.Errorf("the origin has %q", r.Stdout.Text)
	}
	if r := h.cell(fork, "print(x, open('a.txt').read())"); r.Stdout.Text != "[1, 2, 3] fork\n" {
		t.Errorf("the fork has %q", r.Stdout.Text)
	}
	h.must(http.StatusNotFound, "e2b_bb", "POST", at+"/fork", "")
	h.whileACellRuns(at, func() {
		h.must(http.StatusConflict, "e2b_aa", "POST", at+"/fork", "")
		h.must(http.StatusCreated, "e2b_aa", "POST", at+"/fork", `{"drop":true}`)
	})
	h.must(http.StatusNoContent, "e2b_aa", "DELETE", at, "")
	if r := h.cell(fork, "print(len(x))"); r.Stdout.Text != "3\n" {
		t.Errorf("without its origin the fork has %q", r.Stdout.Text)
	}
}

// whileACellRuns does something beside a cell that does not end by itself.
func (h *here) whileACellRuns(at string, do func()) {
	h.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.send("e2b_aa", "POST", at+"/executions", `{"code":"import time\ntime.sleep(50)"}`)
	}()
	for running := false; !running; {
		running = strings.Contains(h.send("e2b_aa", "GET", at, "").body, `"state":"running"`)
	}
	do()
	<-done
}

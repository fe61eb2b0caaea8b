package main

import (
	"net/http"
	"testing"

	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/store"
)

// TestM49_ACallOfAToolThatAKilledServiceMadeIsMadeOnce kills a service behind what a
// model's call came to: before or after the session knew of it. Nothing of it is done,
// asked for or counted a second time.
func TestM49_ACallOfAToolThatAKilledServiceMadeIsMadeOnce(t *testing.T) {
	const answer, release, state = "UPDATE OF status ON once", "DELETE ON once", "UPDATE ON toolboxes"
	for _, c := range []struct {
		name, terms string
		refuse      []string
		want        int
		stage       string
		table       string
	}{
		{"it ran", ``, []string{answer, release, state}, 200, "steps", "executions"},
		{"it ran and the session knows", ``, []string{answer, release}, 200, "steps", "executions"},
		{"it waits", `tools = ["run_python"]`, []string{answer, release, state}, 202, "waiting", "approvals"},
		{"it waits and the session knows", `tools = ["run_python"]`, []string{answer, release}, 202, "waiting", "approvals"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := waitingService(t, c.terms)
			rows := openBase(t, store.Default(d.state))
			var made struct{ ID string }
			d.as(d.agent, "POST", "/v1/sessions", `{}`, 201, &made)
			body := `{"session":"` + made.ID + `","token_cost":3,"arguments":` + pythonCall("end error exception") + `}`
			ask := func(key string, want int, into any) {
				t.Helper()
				d.as(d.agent, "POST", "/v1/tools/run_python", body, want, into, "Idempotency-Key", key)
			}
			rows.refuse(c.refuse...)
			ask("k", http.StatusInternalServerError, nil)
			args := d.cmd.Args[4:]
			d.end(9)
			if rows.rows(c.table) != 1 {
				t.Fatalf("it was not cut behind the work: %d %s", rows.rows(c.table), c.table)
			}
			rows.accept()
			d.served = serveIn(t, "cellwall-fake", d.state, args...).ready()
			var first, again api.ToolAnswer
			ask("k", c.want, &first)
			ask("k", c.want, &again)
			if first.Stage != c.stage || first.ID != again.ID || first.Tool != "run_python" || (first.Result == nil) != (c.want == 202) {
				t.Errorf("%+v, and again %+v", first, again)
			}
			if n := rows.rows(c.table); n != 1 {
				t.Errorf("there are %d %s", n, c.table)
			}
			if c.want == 202 {
				d.as(d.person, "POST", "/v1/approvals/"+first.Approval+"/reject", "", 200, nil)
				return
			}
			if ask("another", 200, &again); again.Stage != "stuck" { // its second failure
				t.Errorf("after another one: %+v", again)
			}
		})
	}
}

// TestM49_WhatAKilledServiceAcceptedOrRanIsFoundByItsKey asks again for what has no
// interpreter any more to run in.
func TestM49_WhatAKilledServiceAcceptedOrRanIsFoundByItsKey(t *testing.T) {
	d := waitingService(t, ``)
	rows := openBase(t, store.Default(d.state))
	var made struct{ ID, State string }
	d.as(d.agent, "POST", "/v1/sessions", `{}`, 201, &made)
	cells := "/v1/sessions/" + made.ID + "/executions"
	rows.refuse("UPDATE OF status ON once")
	d.as(d.agent, "POST", cells, execution("out kept"), 500, nil, "Idempotency-Key", "cell")
	d.as(d.agent, "POST", "/v1/executions", execution("wait"), 500, nil, "Idempotency-Key", "behind", "Prefer", "respond-async")
	d.await("what was left behind does not begin", func() bool { return rows.count(`SELECT count(*) FROM executions WHERE state = 'running'`) == 1 })
	args := d.cmd.Args[4:]
	d.end(9)
	rows.accept()
	d.served = serveIn(t, "cellwall-fake", d.state, args...).ready()
	text := d.as(d.agent, "POST", cells, execution("out kept"), 200, nil, "Idempotency-Key", "cell")
	if r := d.result(text); r.Stdout.Text != "kept" {
		t.Errorf("the cell of a session that is over: %s", text)
	}
	d.as(d.agent, "POST", cells, execution("out kept"), 404, nil, "Idempotency-Key", "a new one")
	d.as(d.agent, "POST", "/v1/executions", execution("wait"), 202, &made, "Idempotency-Key", "behind", "Prefer", "respond-async")
	if d.as(d.agent, "GET", "/v1/executions/"+made.ID, "", 200, nil); made.State != "lost" {
		t.Errorf("what was left behind: %+v", made)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// create is a request that makes something, under an idempotency key of its name.
type create struct {
	name, path, body string
	id               string // prefix of its id
	other            string // another body
	table            string // that has a row for each
	operator         bool
	headers          []string
}

// creates is every route that takes an idempotency key and makes something, but for
// those that need a session which lives: it ended with its service.
func creates(web, dataset, session string) []create {
	file := []string{"Content-Type", octets, "Content-Disposition", `attachment; filename="a.csv"`}
	brings := func(path string) string { return fmt.Sprintf(`{"fetch":{"url":"https://localhost:%s/%s"}}`, web, path) }
	tool := func(arguments string) string { return `{"session":"` + session + `","arguments":` + arguments + `}` }
	asks := func(n int) string {
		return strings.TrimSuffix(tool(pythonCall(fmt.Sprintf("print(%d)", n))), "}") + `,"question":"cluster the rows with k-means"}`
	}
	return []create{
		{name: "dataset", id: cellwall.PrefixDataset, path: "/v1/datasets", body: "a,b\n1,2\n", other: "a,b\n1,3\n", table: "datasets", headers: file},
		{name: "brought", id: cellwall.PrefixDataset, path: "/v1/datasets", body: brings("a.csv"), other: brings("b.csv"), table: "datasets"},
		{name: "masked", id: cellwall.PrefixDataset, path: "/v1/datasets/" + dataset + "/masked", body: `{"columns":{"a":"hide"}}`, other: `{"columns":{"b":"hide"}}`, table: "datasets"},
		{name: "upload", id: cellwall.PrefixUpload, path: "/v1/uploads", body: `{"name":"a.csv","size":9}`, other: `{"name":"a.csv","size":8}`, table: "uploads"},
		{name: "webhook", id: cellwall.PrefixWebhook, path: "/v1/webhooks", body: `{"url":"http://127.0.0.1:9/"}`, other: `{"url":"http://127.0.0.1:8/"}`, table: "webhooks"},
		{
			name: "alert", id: cellwall.PrefixAlert, path: "/v1/alerts", table: "alerts", body: `{"name":"a","measure":"refusals","above":1,"window_s":60}`,
			other: `{"name":"b","measure":"refusals","above":1,"window_s":60}`,
		},
		{name: "tenant", id: cellwall.PrefixTenant, path: "/v1/admin/tenants", body: `{"name":"made-once"}`, other: `{"name":"made-twice"}`, table: "tenants", operator: true},
		{name: "session", id: cellwall.PrefixSession, path: "/v1/sessions", body: `{}`, other: `{"idle_timeout_s":60}`, table: "sessions"},
		{name: "execution", id: cellwall.PrefixExecution, path: "/v1/executions", body: execution("print(1)"), other: execution("print(2)"), table: "executions"},
		{
			name: "left behind", id: cellwall.PrefixExecution, path: "/v1/executions", body: execution("print(3)"), other: execution("print(4)"), table: "executions",
			headers: []string{"Prefer", "respond-async"},
		},
		{name: "tool that looks", id: cellwall.PrefixToolCall, path: "/v1/tools/inspect_data", body: tool(`{}`), other: tool(`{"table":"a"}`), table: "executions"},
		{name: "tool that runs", id: cellwall.PrefixToolCall, path: "/v1/tools/run_python", body: asks(5), other: asks(6), table: "executions"},
	}
}

// TestM49_WhatAKilledServiceHasMadeIsMadeOnce kills a service between making what was
// asked for and keeping the answer under its idempotency key. Who asks again is given
// that one.
func TestM49_WhatAKilledServiceHasMadeIsMadeOnce(t *testing.T) {
	for name, database := range map[string]func(*testing.T) string{"sqlite": ownDatabase, "postgres": postgres} {
		t.Run(name, func(t *testing.T) {
			k := newCut(t, database(t))
			all := creates(k.web, k.dataset, k.session)
			k.base.refuse("UPDATE OF status ON once")
			for _, c := range all {
				before := k.base.rows(c.table)
				status, text := k.ask(c, c.body)
				if status != http.StatusInternalServerError || k.base.rows(c.table) <= before {
					t.Errorf("%s was not cut behind the work: %d %s", c.name, status, text)
				}
			}
			k.restart()
			k.base.accept()
			for _, c := range all {
				k.again(c)
			}
			k.counted()
		})
	}
}

// cut is a service, and its database.
type cut struct {
	*served
	base             *base
	args             []string
	web, key         string
	dataset, session string // that stand before
}

func newCut(t *testing.T, database string) *cut {
	t.Setenv("CELLWALL_SERVE_WEBHOOKS__ALLOW_PRIVATE", "true")
	k := &cut{base: openBase(t, database)}
	k.web = webSite(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "id,price\n007,1.5\n") })
	k.args = []string{"--database", database, "--config", settingsFile(t, fmt.Sprintf(
		"[fetch]\nprivate = [\"127.0.0.1/32\", \"::1/128\"]\n[tenants.acme]\nfetch_hosts = [\"localhost:%s\"]\n", k.web))}
	k.served = realService(t, k.args...)
	var list struct{ Items []struct{ ID, Name string } }
	k.operate("GET", "/v1/admin/tenants", "", 200, &list)
	for _, one := range list.Items {
		if one.Name == "acme" {
			k.key = k.newKey(one.ID, time.Time{}, cellwall.ScopeExecute, cellwall.ScopeAdmin)
		}
	}
	var made struct{ ID string }
	k.post("/v1/datasets", "a,b\n5,6\n", 201, &made, "Content-Type", octets, "X-API-Key", k.key)
	k.dataset = made.ID
	k.post("/v1/sessions", `{"datasets":["`+k.dataset+`"]}`, 201, &made, "X-API-Key", k.key)
	k.session = made.ID
	return k
}

func (k *cut) ask(c create, body string) (int, string) {
	k.t.Helper()
	headers := append([]string{"Idempotency-Key", c.name}, c.headers...)
	if !c.operator {
		headers = append(headers, "X-API-Key", k.key)
	}
	return call(k.t, k.local(), "POST", "http://local"+c.path, body, headers...)
}

// restart kills the service, and starts another on what it leaves.
func (k *cut) restart() {
	k.t.Helper()
	k.await("what was left behind never ends", func() bool {
		return k.base.count(`SELECT count(*) FROM executions WHERE state <> 'done'`) == 0
	})
	k.end(9)
	k.served = serveIn(k.t, "cellwall", k.state, k.args...).ready()
}

// again asks three times more: for what was made, for that answer, and for another
// thing under the same key.
func (k *cut) again(c create) {
	k.t.Helper()
	before := k.base.rows(c.table)
	status, text := k.ask(c, c.body)
	var first struct{ ID string }
	if err := json.Unmarshal([]byte(text), &first); err != nil || !slices.Contains([]int{200, 201, 202}, status) || !cellwall.ValidID(c.id, first.ID) {
		k.t.Errorf("%s, after the kill: %d %s", c.name, status, text)
	}
	if again, same := k.ask(c, c.body); again != status || same != text {
		k.t.Errorf("%s, once more: %d %s, it was %d %s", c.name, again, same, status, text)
	}
	if status, text := k.ask(c, c.other); status != http.StatusConflict {
		k.t.Errorf("%s, another request under its key: %d %s", c.name, status, text)
	}
	if n := k.base.rows(c.table); n != before && c.table != "sessions" {
		k.t.Errorf("%s: there are %d %s, the killed service has left %d", c.name, n, c.table, before)
	}
}

// counted holds what is there at the end to what was counted of it.
func (k *cut) counted() {
	k.t.Helper()
	// Both sessions ended with the killed service, and who asked again was given another.
	var live struct{ Items []any }
	status, text := call(k.t, k.local(), "GET", "http://local/v1/sessions", "", "X-API-Key", k.key)
	if err := json.Unmarshal([]byte(text), &live); err != nil || len(live.Items) != 1 {
		k.t.Errorf("the sessions that live: %d %s", status, text)
	}
	stored := k.base.count(`SELECT sum(bytes) FROM stored`)
	if there := k.base.count(`SELECT (SELECT sum(bytes) FROM datasets) + (SELECT coalesce(sum(bytes), 0) FROM artifacts) + (SELECT coalesce(sum(length(result)), 0) FROM executions)`); stored != there {
		k.t.Errorf("%d bytes are counted, there are %d", stored, there)
	}
}

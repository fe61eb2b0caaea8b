package main

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall/api"
)

func pythonOver(code string) *sdk.CallToolParams {
	return &sdk.CallToolParams{Name: "run_python", Arguments: map[string]any{"code": code, "purpose": "p"}}
}

// waiting is the id of the one approval that waits.
func (d *desked) waiting() (id string) {
	d.t.Helper()
	d.await("nothing waits", func() bool {
		var list struct{ Items []struct{ ID string } }
		d.as(d.person, "GET", "/v1/approvals?state=waiting", "", 200, &list)
		if len(list.Items) == 1 {
			id = list.Items[0].ID
		}
		return id != ""
	})
	return id
}

// A call over MCP waits for its person: what came of it reaches the model.
func TestM53_OverMCPTheAnswerWaitsForThePerson(t *testing.T) {
	for name, row := range map[string]struct {
		decide, body, want string
		ok                 bool
	}{
		"approved": {"approve", "", "said so", true},
		"edited":   {"edit", `{"code":"out otherwise"}`, "otherwise", true},
		"rejected": {"reject", `{"comment":"not today"}`, "not today", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := waitingService(t, `tools = ["run_python"]`)
			c, err := clientOf(t, d.served, withKey{d.agent, "X-API-Key"}, "")
			if err != nil {
				t.Fatal(err)
			}
			told := make(chan *sdk.CallToolResult, 1)
			go func() {
				r, err := c.CallTool(t.Context(), pythonOver("out said so"))
				if err != nil {
					t.Error(err)
				}
				told <- r
			}()
			d.as(d.person, "POST", "/v1/approvals/"+d.waiting()+"/"+row.decide, row.body, 200, nil)
			r := <-told
			if r == nil || r.IsError == row.ok || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, row.want) {
				t.Errorf("the model is told %+v", r)
			}
		})
	}
}

// Who leaves a call that waits is free at once; the call stays with the person.
func TestM53_OverMCPWhoLeavesWaitsNoLonger(t *testing.T) {
	d := waitingService(t, `tools = ["run_python"]`)
	c, err := clientOf(t, d.served, withKey{d.agent, "X-API-Key"}, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, pythonOver("out hello"))
		left <- err
	}()
	id := d.waiting()
	leave()
	if err := <-left; err == nil {
		t.Error("it was answered")
	}
	// The next call has its turn, and hears that a person is asked.
	if r, err := c.CallTool(t.Context(), pythonOver("out 2")); err != nil || !r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, "waiting") {
		t.Errorf("the next call: %+v, %v", r, err)
	}
	d.as(d.person, "POST", "/v1/approvals/"+id+"/approve", "", 200, nil)
	var a struct{ Outcome *api.ToolAnswer }
	d.await("the call is not made", func() bool {
		d.as(d.agent, "GET", "/v1/approvals/"+id, "", 200, &a)
		return a.Outcome != nil
	})
	if !a.Outcome.OK {
		t.Errorf("%+v", a.Outcome)
	}
}

package main

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall/internal/testkit"
)

// Nobody has told of a question, and SQL is not set up.
func TestM44_OverLines_WithoutSQLAProgramMayFollowTheInspection(t *testing.T) {
	c := startMCP(t, nil)
	c.call("inspect_data", nil)
	r := c.call("run_python", map[string]any{"code": "print(len(df))", "purpose": "p"})
	if r.Result.IsError || !strings.Contains(r.Result.Content[0].Text, "1000") {
		t.Errorf("run_python: %+v", r)
	}
}

func TestM44_OverLines_AChartGivesNewTriesOnceAndThePromptAlways(t *testing.T) {
	c := startMCP(t, nil)
	failTwice := func() {
		t.Helper()
		for range 2 {
			if r := c.call("run_python", map[string]any{"code": "1/0", "purpose": "p"}); !strings.Contains(r.Result.Content[0].Text, "ZeroDivisionError") {
				t.Fatalf("it did not run: %+v", r)
			}
		}
		r := c.call("run_python", map[string]any{"code": "print(1)", "purpose": "p"})
		if text := r.Result.Content[0].Text; !r.Result.IsError || !strings.Contains(text, `"stage":"stuck"`) || !strings.Contains(text, "analyse_data") || strings.Contains(text, "human") {
			t.Errorf("a third try: %s", text)
		}
	}
	chart := func() heard { return c.call("make_chart", map[string]any{"kind": "bar", "x": "区域"}) }
	c.call("inspect_data", nil)
	failTwice()
	chart()
	failTwice()
	chart()
	if r := c.call("run_python", map[string]any{"code": "print(1)", "purpose": "p"}); !r.Result.IsError {
		t.Error("charts give tries without end")
	}
	c.ask("prompts/get", map[string]any{"name": "analyse_data"})
	if r := c.call("run_python", map[string]any{"code": "print(1)", "purpose": "p"}); r.Result.IsError {
		t.Errorf("after the prompt: %+v", r)
	}
}

func TestM44_OverHTTP_AnAnswerGivesNewTries(t *testing.T) {
	testkit.RequireRoot(t)
	s := realService(t)
	key := withKey{makeKey(t, s, "acme", "execute"), "X-API-Key"}
	var data, session struct{ ID string }
	s.post("/v1/datasets", "a,b\nx,2\n", 201, &data, "Content-Type", octets, "Content-Disposition", `attachment; filename="a.csv"`, key.header, key.key)
	s.post("/v1/sessions", `{"datasets":["`+data.ID+`"]}`, 201, &session, key.header, key.key)
	for _, query := range []string{"?dataset=" + data.ID, "?session=" + session.ID} {
		c, err := clientOf(t, s, key, query)
		if err != nil {
			t.Fatal(err)
		}
		call := func(tool string, arguments map[string]any) string {
			r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil {
				t.Fatal(err)
			}
			return r.Content[0].(*sdk.TextContent).Text
		}
		program := func(code string) string { return call("run_python", map[string]any{"code": code, "purpose": "p"}) }
		call("inspect_data", map[string]any{})
		program("1/0")
		program("1/0")
		if text := program("print(1)"); !strings.Contains(text, `"stage":"stuck"`) || !strings.Contains(text, "analyse_data") {
			t.Errorf("%s, a third try: %s", query, text)
		}
		call("make_chart", map[string]any{"kind": "bar", "x": "a"})
		if text := program("print(40 + 2)"); !strings.Contains(text, "42") {
			t.Errorf("%s, after a chart: %s", query, text)
		}
	}
}

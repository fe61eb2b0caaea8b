package main

import (
	"strings"
	"testing"
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

package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
)

// Tools of a tenant whose terms are narrow: strict checks, few rows for programs,
// personal data masked. Programs of ours see every row and pass; nothing personal is told.
func TestM4_ToolsHoldToTheTermsOfTheirTenant(t *testing.T) {
	s := realService(t, "--config", settingsFile(t, "[tenants.acme]\nprofile = \"strict\"\nmask = true\nceiling = { rows = 5 }\n"))
	d := &desked{served: s, agent: s.newKey(tenantID("acme"), time.Time{}, cellwall.ScopeExecute)}
	rows := "region,phone,n\n"
	for i := range 40 {
		rows += fmt.Sprintf("%s,138001380%02d,1\n", []string{"north", "south"}[i%2], i)
	}
	var made struct{ ID string }
	d.as(d.agent, "POST", "/v1/datasets", rows, 201, &made, "Content-Type", octets, "Content-Disposition", `attachment; filename="a.csv"`)
	d.as(d.agent, "POST", "/v1/sessions", `{"datasets":["`+made.ID+`"]}`, 201, &made)
	ask := func(tool, arguments string) (got api.ToolAnswer) {
		t.Helper()
		text := d.as(d.agent, "POST", "/v1/tools/"+tool, `{"session":"`+made.ID+`","question":"cluster the regions","arguments":`+arguments+`}`, 200, &got)
		if strings.Contains(text, "13800138") {
			t.Errorf("%s tells a number: %s", tool, text)
		}
		return got
	}
	if got := ask("inspect_data", `{}`); !got.OK || !strings.Contains(string(got.Observation), `"rows":40`) {
		t.Fatalf("%+v: %s", got, got.Observation)
	}
	chart := ask("make_chart", `{"kind":"bar","x":"region","y":"n"}`)
	if numbers := string(chart.Observation); !chart.OK || len(chart.Result.Artifacts) != 2 || !strings.Contains(numbers, "20") {
		t.Errorf("a chart sees fewer rows, or is refused: %s", chart.Observation)
	}
	if got := ask("run_python", pythonCall("print(len(df), df.phone.iloc[0])")); !got.OK || !strings.HasPrefix(got.Result.Stdout.Text, "5 ") {
		t.Errorf("a program: %s", got.Observation)
	}
	if got := ask("run_python", pythonCall("import socket")); got.OK || got.Result == nil || got.Result.Status != cellwall.StatusRefused {
		t.Errorf("the checks of the profile do not hold: %+v", got)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/session"
)

// strictCase is a case of user-cases.json that asks for the profile strict.
type strictCase struct {
	ID, Code, Profile string
	Expect            struct {
		Status       []string
		StdoutEquals string   `json:"stdout_equals"`
		FindingsAny  []string `json:"findings_any"`
		FindingLine  []int    `json:"finding_line"`
		ExitCode     int      `json:"exit_code"`
		Observation  struct {
			AnyText []string `json:"any_text"`
		}
	}
}

func (c strictCase) judge(t *testing.T, way string, r cellwall.Result) {
	t.Helper()
	said, err := json.Marshal(r.Observation)
	if err != nil {
		t.Fatal(err)
	}
	told := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(string(said)), w) })
	}
	if !slices.Contains(c.Expect.Status, string(r.Status)) || r.Stdout.Text != c.Expect.StdoutEquals || !told(c.Expect.Observation.AnyText) {
		t.Errorf("%s, %s: %s, stdout %q, told %s", c.ID, way, r.Status, r.Stdout.Text, said)
	}
	if !slices.ContainsFunc(r.Findings, func(f cellwall.Finding) bool {
		return slices.Contains(c.Expect.FindingLine, f.Line) && f.Instead != "" &&
			slices.ContainsFunc(c.Expect.FindingsAny, func(w string) bool { return strings.Contains(f.Message, w) })
	}) {
		t.Errorf("%s, %s: findings %+v", c.ID, way, r.Findings)
	}
}

// Where users meet them: the command line, the API and the route of the second
// article, whose own check refuses the same code.
func TestM31_StrictUserCasesPassWhereUsersMeetThem(t *testing.T) {
	testkit.RequireRoot(t)
	raw, err := os.ReadFile("../../testdata/cases/user-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []strictCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	cases = slices.DeleteFunc(cases, func(c strictCase) bool { return c.Profile != "strict" })
	if len(cases) == 0 {
		t.Fatal("no case asks for strict")
	}
	state := t.TempDir()
	linkEnvironments(t, state)
	article := serveHere(t)
	for _, c := range cases {
		cmd := exec.Command(os.Args[0], "run", "--profile", "strict", "--json", "-c", c.Code)
		cmd.Env = append(os.Environ(), "CELLWALL_TEST_AS=cellwall", "CELLWALL_STATE_DIR="+state, "NO_COLOR=1")
		out, _ := cmd.Output() // its status is looked at
		var r cellwall.Result
		if err := json.Unmarshal(out, &r); err != nil || cmd.ProcessState.ExitCode() != c.Expect.ExitCode {
			t.Errorf("%s: run exits with %d (%v): %s", c.ID, cmd.ProcessState.ExitCode(), err, out)
		}
		c.judge(t, "run", r)
		body, err := json.Marshal(map[string]any{"code": c.Code, "profile": "strict"})
		if err != nil {
			t.Fatal(err)
		}
		r = cellwall.Result{}
		article.must(200, "e2b_aa", "POST", "/v1/executions", string(body)).json(t, &r)
		c.judge(t, "POST /v1/executions", r)
		got, _ := article.execute(400, map[string]any{"code": c.Code})
		if !strings.Contains(got.body, "Execution failed: Sensitive module "+c.Expect.FindingsAny[0]+" is forbidden") {
			t.Errorf("%s: POST /execute says %s", c.ID, got.body)
		}
	}
}

// made up while the program runs, and so no finding of the chain's
const smuggled = "from statistics import random\nprint(random.random())"

// The restricted interpreter stands wherever strict does, and nowhere else.
func TestM19_TheRestrictedInterpreterIsThereInEveryWay(t *testing.T) {
	h, _ := realChain(t)
	for profile, want := range map[string]string{"strict": "SecurityError 禁止 from statistics import", "default": "", "off": "", "": ""} {
		r, err := h.controller.Run(t.Context(), cellwall.Request{Code: smuggled, Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r.Error != nil {
			got = r.Error.Type + " " + r.Error.Message
		}
		if got != want || r.OK != (want == "") {
			t.Errorf("%q: %s, %q, want %q", profile, r.Status, got, want)
		}
		if r.Error != nil && (r.Observation.FailedLine != 1 || !strings.Contains(r.Observation.RetryHint, "strict") || strings.Contains(r.Error.Traceback, "_cellwall")) {
			t.Errorf("told %+v\n%s", r.Observation, r.Error.Traceback)
		}
	}
	live, result, err := h.sessions.Create(t.Context(), cellwall.Request{Profile: "strict"}, nil)
	if err != nil {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, c := range []struct{ code, out, wrong string }{
		{"import json\ndef read(): return json.loads('[1]')", "", ""},
		{smuggled, "", "禁止 from statistics import"},
		{"print(read(), pd.DataFrame({'a': [1, 2]}).query('a > 1').shape)", "[1] (1, 1)\n", ""},
		{"from pandas.io.common import *\ncodecs", "", "name 'codecs' is not defined"},
	} {
		r, err := live.Cell(t.Context(), session.Cell{Code: c.code}, nil)
		if err != nil || r.Stdout.Text != c.out || r.OK != (c.wrong == "") || !r.OK && (r.Error == nil || !strings.Contains(r.Error.Message, c.wrong)) {
			t.Errorf("cell %q: %+v (%v)", c.code, r, err)
		}
	}
	if err := live.Close(); err != nil {
		t.Error(err)
	}
	if !testkit.Long() {
		return // what follows only warms another house
	}
	heard := script(t,
		said{calls: []string{"inspect_data {}"}},
		said{calls: []string{fmt.Sprintf(`run_python {"code":%q,"purpose":"look","expected_artifacts":[]}`, smuggled)}},
		said{text: "No."},
	)
	a := askIt(t, heard, func(v *askVerb) {
		v.Profile, v.Question = "strict", "先清洗异常值，再计算临时指标并分析趋势"
	})
	last := heard.heard[len(heard.heard)-1].Messages
	if !strings.Contains(fmt.Sprint(last), "禁止 from statistics import") {
		t.Errorf("ask: %d %+v", a.code, last)
	}
}

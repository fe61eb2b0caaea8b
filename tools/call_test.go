package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cellwall/cellwall/tools"
)

func compiled(t testing.TB) *tools.Schemas {
	t.Helper()
	s, err := tools.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// program is a call of run_python with so many characters of code.
func program(characters int) string {
	raw, err := json.Marshal(map[string]any{"code": strings.Repeat("值", characters), "purpose": "p"})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestM1_ACallHoldsToItsSchema(t *testing.T) {
	s := compiled(t)
	for name, tt := range map[string]struct {
		tool, arguments string
		faults          []string // "field: part of the problem", in order; nil = taken
	}{
		"program":                   {python, `{"code":"1","purpose":"p","expected_artifacts":["a.png"]}`, nil},
		"program without artifacts": {python, `{"code":"1","purpose":"p"}`, nil},
		"8,000 characters":          {python, program(8000), nil},
		"8,001 characters":          {python, program(8001), []string{"code: has 8001 characters, at most 8000"}},
		"no purpose":                {python, `{"code":"1"}`, []string{"purpose: is required"}},
		"empty code":                {python, `{"code":"","purpose":"p"}`, []string{"code: must not be empty"}},
		"a limit asked for": {python, `{"code":"1","purpose":"p","timeout":60}`, []string{
			"timeout: is not a field of run_python; leave it out (fields: code, expected_artifacts, purpose)",
		}},
		"network and paths":       {python, `{"code":"1","purpose":"p","network_enabled":true,"csv_path":"/x"}`, []string{"csv_path: is not", "network_enabled: is not"}},
		"code of another type":    {python, `{"code":["1"],"purpose":null}`, []string{"code: is of type array, must be string", "purpose: is of type null"}},
		"artifacts as text":       {python, `{"code":"1","purpose":"p","expected_artifacts":"a.png"}`, []string{"expected_artifacts: is of type string, must be array"}},
		"an artifact as a number": {python, `{"code":"1","purpose":"p","expected_artifacts":["a",2]}`, []string{"expected_artifacts[1]: is of type number, must be string"}},
		"no object":               {python, `"code"`, []string{": is of type string, must be object"}},
		"not JSON":                {python, `{"code": "1"`, []string{": the arguments are not one JSON object"}},
		"two documents":           {python, `{"code":"1","purpose":"p"} {}`, []string{": the arguments are not one JSON object"}},
		"nothing":                 {python, ``, []string{": the arguments are not one JSON object"}},
		"too large":               {python, `{"code":"` + strings.Repeat("x", 300<<10) + `","purpose":"p"}`, []string{": the arguments have more than 262144 bytes"}},
		"no such tool":            {"shell", `{}`, []string{": There is no tool shell."}},

		"inspect all": {inspect, `{}`, nil},
		"inspect one": {inspect, `{"table":"orders"}`, nil},
		"inspect a path": {inspect, `{"path":"/etc/passwd"}`, []string{
			"path: is not a field of inspect_data; leave it out (fields: table)",
		}},
		"SQL":              {query, `{"sql":"select 1","max_rows":200}`, nil},
		"SQL, all rows":    {query, `{"sql":"select 1","max_rows":100000}`, []string{"max_rows: is 100000, at most 200"}},
		"SQL, no rows":     {query, `{"sql":"select 1","max_rows":0}`, []string{"max_rows: is 0, at least 1"}},
		"SQL, half a row":  {query, `{"sql":"select 1","max_rows":1.5}`, []string{"max_rows: is of type number, must be integer"}},
		"chart":            {chart, `{"kind":"bar","x":"区域","y":"利润"}`, nil},
		"chart with rows":  {chart, `{"kind":"line","x":"d","y":"v","every":"month","where":[{"column":"a","is":"in","value":["x",1]},{"column":"b","is":"missing"}]}`, nil},
		"chart of no kind": {chart, `{"kind":"pie","x":"a"}`, []string{"kind: is pie, must be one of: bar, stacked, line, scatter, histogram, box, heatmap"}},
		"scatter of one":   {chart, `{"kind":"scatter","x":"a"}`, []string{"y: is required for a scatter chart"}},
		"stack of one":     {chart, `{"kind":"stacked","x":"a"}`, []string{"series: is required"}},
		"bins of bars":     {chart, `{"kind":"bar","x":"a","bins":3}`, []string{"bins: is not for a bar chart, only for: histogram"}},
		"a condition of another kind": {chart, `{"kind":"bar","x":"a","where":[{"column":"a","is":"like","value":"x"}]}`, []string{
			"where[0].is: is like, must be one of: =, !=",
		}},
		"a condition without value":    {chart, `{"kind":"bar","x":"a","where":[{"column":"a","is":"="}]}`, []string{"where[0].value: = takes one value"}},
		"a condition with an object":   {chart, `{"kind":"bar","x":"a","where":[{"column":"a","is":"=","value":{"a":1}}]}`, []string{"where[0].value: must be text"}},
		"a list where one is compared": {chart, `{"kind":"bar","x":"a","where":[{"column":"a","is":"<","value":[1]}]}`, []string{"where[0].value: < takes one value"}},
		"an unknown field of a condition": {chart, `{"kind":"bar","x":"a","where":[{"column":"a","is":"missing","or":1}]}`, []string{
			"where[0].or: is not a field of make_chart; leave it out (fields: column, is, value)",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			call, faults := s.Decode(tt.tool, []byte(tt.arguments), tools.English)
			if len(faults) != len(tt.faults) {
				t.Fatalf("faults %q, want %q", faults, tt.faults)
			}
			for i, want := range tt.faults {
				if got := faults[i].Field + ": " + faults[i].Problem; !strings.HasPrefix(got, want) {
					t.Errorf("fault %q, want %q", got, want)
				}
			}
			if tt.faults == nil && call.Tool != tt.tool || tt.faults != nil && call.Tool != "" {
				t.Errorf("call %+v", call)
			}
		})
	}
}

func TestM1_WhatIsLeftOutHasItsDefault(t *testing.T) {
	call, faults := compiled(t).Decode(query, []byte(`{"sql":"select 1"}`), tools.Chinese)
	if faults != nil || call.Query == nil || call.Query.MaxRows != 50 {
		t.Errorf("%+v, %v", call, faults)
	}
}

func TestM1_FaultsAreToldInTheCallersLanguage(t *testing.T) {
	_, faults := compiled(t).Decode(python, []byte(`{"code":"1","cwd":"/"}`), tools.Chinese)
	if want := "cwd: 不是 run_python 的字段，请去掉（可用字段：code、expected_artifacts、purpose）\npurpose: 必填"; faults.String() != want {
		t.Errorf("%s\nwant\n%s", faults, want)
	}
}

func TestM4_WhatAModelReadsIsShort(t *testing.T) {
	for _, l := range []tools.Language{tools.English, tools.Chinese} {
		whole := 0
		for _, tool := range tools.All(l) {
			if n := utf8.RuneCountInString(tool.Description); n == 0 || n > 240 {
				t.Errorf("%s: the description has %d characters", tool.Name, n)
			}
			var compact strings.Builder
			if err := json.NewEncoder(&compact).Encode(tool); err != nil {
				t.Fatal(err)
			}
			whole += compact.Len()
		}
		if whole > 6000 {
			t.Errorf("the four tools weigh %d bytes in %s", whole, l)
		}
	}
	if names := tools.Names(); !slices.Equal(names, []string{inspect, query, chart, python}) {
		t.Error(names)
	}
}

func FuzzDecode(f *testing.F) {
	s := compiled(f)
	for _, seed := range []string{`{"code":"1","purpose":"p"}`, `{"kind":"bar","x":"a","where":[{"column":"a","is":"=","value":1e400}]}`, `{"sql":"x","max_rows":1e2}`, `[]`, "{\"\\u0000\":\"\xff\"}"} {
		for i := range tools.Names() {
			f.Add(i, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, tool int, raw []byte) {
		name := tools.Names()[uint(tool)%4]
		call, faults := s.Decode(name, raw, tools.English)
		if (call.Tool == "") == (len(faults) == 0) || len(faults) > 20 {
			t.Fatalf("%+v with %v", call, faults)
		}
		for _, fault := range faults {
			if !utf8.ValidString(fault.Field+fault.Problem) || len(fault.Field+fault.Problem) > 4000 {
				t.Fatalf("fault %q", fault)
			}
		}
	})
}

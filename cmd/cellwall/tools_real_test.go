package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/tools"
)

const queryEnvironment = "python-query"

// toolAnswer is what the program behind a tool gave.
type toolAnswer struct {
	*cellwall.Result
	columns []string
	rows    [][]any
}

// callTool decodes a call as a model writes it, and runs its program on files.
func callTool(t *testing.T, h *house, environment, tool, arguments string, files ...string) toolAnswer {
	t.Helper()
	schemas, err := tools.Compile()
	if err != nil {
		t.Fatal(err)
	}
	call, faults := schemas.Decode(tool, []byte(arguments), tools.English)
	if faults != nil {
		t.Fatalf("%s: %s", arguments, faults)
	}
	source, err := tools.Source(call)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range files {
		files[i] = "../../testdata/cases/" + name
	}
	inputs, undo, err := openInputs(files, cellwall.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer undo()
	r, err := h.controller.Run(t.Context(), cellwall.Request{Code: source, Environment: environment, Datasets: inputs, Profile: "off"})
	if err != nil {
		t.Fatal(err)
	}
	a := toolAnswer{Result: r}
	for _, rich := range r.Results {
		var table struct {
			Columns []string
			Rows    [][]any
		}
		if raw, ok := rich.Data["application/json"]; ok && json.Unmarshal(raw, &table) == nil {
			a.columns, a.rows = table.Columns, table.Rows
		}
	}
	return a
}

func TestM4_AChartIsDrawnFromItsSpec(t *testing.T) {
	testkit.RequireRoot(t)
	h, _ := openRealHouse(t, cellwall.Budget{})
	const orders, birds = "orders_zh.csv", "penguins.csv"
	for name, tt := range map[string]struct {
		file, spec string
		columns    string
		rows       int
		first      string // of the numbers behind it
		says       string // a part of what is printed
	}{
		"bars":                  {orders, `{"kind":"bar","x":"区域","y":"利润","sort":"-value","title":"各区域利润"}`, "区域 利润", 7, "[华东 637784.46]", ""},
		"bars, the first three": {orders, `{"kind":"bar","x":"区域","y":"利润","sort":"-value","limit":3}`, "区域 利润", 3, "[华东 637784.46]", ""},
		"bars of dollars":       {orders, `{"kind":"bar","x":"区域","y":"利润","title":"$5–$10 & $\\frac{","y_label":"a$_b$"}`, "区域 利润", 7, "", ""},
		"counts":                {orders, `{"kind":"bar","x":"区域"}`, "区域 rows", 7, "[东北 45]", ""},
		"means":                 {birds, `{"kind":"bar","x":"species","y":"body_mass_g","aggregate":"mean"}`, "species mean of body_mass_g", 3, "[Adelie 3700.66", ""},
		"stack":                 {orders, `{"kind":"stacked","x":"区域","y":"销售额","series":"产品"}`, "区域 销售额 产品", 0, "", ""},
		"months":                {orders, `{"kind":"line","x":"订单日期","y":"销售额","every":"month"}`, "订单日期 销售额", 24, "[2023-01", ""},
		"months, series":        {orders, `{"kind":"line","x":"订单日期","y":"销售额","every":"quarter","series":"区域"}`, "订单日期 销售额 区域", 55, "[2023Q1", ""},
		"points":                {birds, `{"kind":"scatter","x":"flipper_length_mm","y":"body_mass_g","series":"species"}`, "flipper_length_mm body_mass_g species", 0, "", ""},
		"histogram":             {birds, `{"kind":"histogram","x":"body_mass_g","bins":10}`, "from to rows", 10, "[2700 3060", ""},
		"boxes":                 {birds, `{"kind":"box","x":"body_mass_g","series":"species"}`, "species whislo q1 med q3 whishi outliers rows", 3, "[Adelie 2850 3350 3700", ""},
		"heatmap":               {birds, `{"kind":"heatmap","x":"island","y":"species","value":"body_mass_g"}`, "island species mean of body_mass_g", 5, "[Biscoe Adelie", ""},
		"small charts":          {orders, `{"kind":"bar","x":"产品","y":"利润","facet":"区域"}`, "产品 利润 区域", 0, "", ""},
		"only some rows":        {orders, `{"kind":"bar","x":"区域","where":[{"column":"区域","is":"in","value":["华东","华南"]},{"column":"利润","is":">","value":0}]}`, "区域 rows", 2, "[华东", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := callTool(t, h, "", tools.MakeChart, tt.spec, tt.file)
			if !a.OK {
				t.Fatalf("%s %+v\n%s", a.Status, a.Error, a.Stderr.Text)
			}
			var files []string
			for _, f := range a.Artifacts {
				files = append(files, f.Name+" "+f.MediaType)
			}
			if !slices.Equal(files, []string{"chart.csv text/csv", "chart.png image/png"}) {
				t.Errorf("artifacts %v", files)
			}
			if strings.Join(a.columns, " ") != tt.columns || tt.rows > 0 && len(a.rows) != tt.rows || len(a.rows) == 0 {
				t.Errorf("columns %q and %d rows, want %q and %d", a.columns, len(a.rows), tt.columns, tt.rows)
			}
			if len(a.rows) > 0 && !strings.HasPrefix(fmt.Sprint(a.rows[0]), tt.first) {
				t.Errorf("first numbers %v, want %s", a.rows[0], tt.first)
			}
			if !strings.Contains(a.Stdout.Text, tt.says) || strings.TrimSpace(a.Stderr.Text) != "" || len(a.Warnings) > 0 && tt.file == orders && !strings.Contains(a.Warnings[0], "missing") {
				t.Errorf("said %q and %q, warnings %q", a.Stdout.Text, a.Stderr.Text, a.Warnings)
			}
		})
	}
}

// The environment of SQL is not python-data-basic: DuckDB would be 25 MB for
// every sandbox.
func TestM4_SQLReadsAndChangesNothing(t *testing.T) {
	testkit.RequireRoot(t)
	h, _ := openRealHouse(t, cellwall.Budget{})
	if _, err := h.environments.Open(queryEnvironment); err != nil {
		if testkit.Long() {
			t.Fatal(err)
		}
		t.Skipf("it needs %s, which make test does not build: set CELLWALL_TEST_ALL=1; proof: %v", queryEnvironment, err)
	}
	for name, tt := range map[string]struct {
		sql, rows, says string
		fails           string // part of the error; "" = it answers
	}{
		"a sum by group":             {`select "区域", round(sum("利润"), 2) p from orders_zh group by 1 order by p desc limit 2`, "[[华东 637784.46] [华南 478220.45]]", "", ""},
		"df":                         {`select count(*) n from df`, "[[1000]]", "", ""},
		"a join":                     {`select count(*) from orders_zh a join df b using ("订单日期", "产品", "区域", "销售额")`, "[[1000]]", "", ""},
		"more than asked for":        {`select "利润" from df where "利润" is not null order by 1 desc`, "", "992 rows in all, the first 5 are shown", ""},
		"two statements":             {`select 1; select 2`, "", "", "exactly one statement, not 2"},
		"none":                       {`-- nothing`, "", "", "exactly one statement, not 0"},
		"a table":                    {`create table t as select 1`, "", "", "only SELECT is allowed, this is CREATE"},
		"a copy":                     {`copy (select 1) to 'x.csv'`, "", "", "only SELECT is allowed, this is COPY"},
		"a setting":                  {`set enable_external_access = true`, "", "", "only SELECT is allowed, this is SET"},
		"a pragma":                   {`pragma database_list`, "", "", "only SELECT is allowed"},
		"a file":                     {`select * from read_csv('/etc/passwd')`, "", "", "disabled by configuration"},
		"an extension":               {`install httpfs`, "", "", "only SELECT is allowed"},
		"a column that is not there": {`select "利闰" from df`, "", "", "利闰"},
		"no SQL":                     {`how many rows?`, "", "", "syntax error"},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(map[string]any{"sql": tt.sql, "max_rows": 5})
			if err != nil {
				t.Fatal(err)
			}
			a := callTool(t, h, queryEnvironment, tools.QueryData, string(raw), "orders_zh.csv")
			if tt.fails != "" {
				if a.Error == nil || !strings.Contains(a.Error.Message, tt.fails) {
					t.Errorf("%s %+v, want %q", a.Status, a.Error, tt.fails)
				}
				return
			}
			if !a.OK || !strings.Contains(a.Stdout.Text, tt.says) || tt.rows != "" && fmt.Sprint(a.rows) != tt.rows || len(a.rows) > 5 {
				t.Errorf("%s %+v: %v, said %q", a.Status, a.Error, a.rows, a.Stdout.Text)
			}
		})
	}
}

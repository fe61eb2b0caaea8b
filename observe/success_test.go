package observe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func good() Input {
	return Input{Result: &cellwall.Result{OK: true, Status: cellwall.StatusOK}}
}

func rich(main bool, data map[string]string) cellwall.Rich {
	r := cellwall.Rich{IsMainResult: main, Data: map[string]json.RawMessage{}}
	for media, content := range data {
		r.Data[media] = json.RawMessage(content)
	}
	return r
}

// The JSON is what the driver says about df.groupby(…).sum().plot(kind="bar").
const bars = `{"chart":{"title":"","axes":[{"title":"Quantity","x_label":"region","y_label":"qty","x_scale":"linear","y_scale":"linear",
"series":[{"kind":"bar","label":"","x":["East","North","South"],"y":[2.0,16.0,9.0],"points":3,"truncated":false}]}]}}`

func TestM11_AChartIsToldByWhatIsOnIt(t *testing.T) { // U37
	in := good()
	in.Result.Results = []cellwall.Rich{rich(false, map[string]string{"image/png": `"iVBOR"`, "application/json": bars, "text/plain": `"<Figure>"`})}
	got := Observe(in).ResultExcerpt
	for _, want := range []string{"image/png", "Quantity", "region", "qty", "bar", "3 points", "North = 16"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if strings.Contains(got, "Figure") || strings.Contains(got, "iVBOR") {
		t.Errorf("excerpt is %q", got)
	}
	in.Language = "zh"
	if got := Observe(in).ResultExcerpt; !strings.Contains(got, "图表（图片 image，image/png）") {
		t.Errorf("in Chinese: %q", got)
	}
}

func TestM11_TheMainResultComesFirst(t *testing.T) {
	in := good()
	in.Result.Results = []cellwall.Rich{
		rich(false, map[string]string{"text/plain": `"shown on the way"`}),
		rich(false, map[string]string{"image/png": `"iVBOR"`}),
		rich(true, map[string]string{"text/plain": `"   qty\n0   12"`, "text/html": `"<table>…"`}),
	}
	if got := Observe(in).ResultExcerpt; !strings.HasPrefix(got, "   qty\n0   12\n") || !strings.Contains(got, "shown on the way\nimage (image/png)") {
		t.Errorf("excerpt is %q", got)
	}
}

func TestM11_NeverAWholeTable(t *testing.T) {
	in := good()
	row := strings.Repeat("North  12.5  ", 8) + "\n"
	raw, _ := json.Marshal(strings.Repeat(row, 5000))
	in.Result.Results = []cellwall.Rich{rich(true, map[string]string{"text/plain": string(raw)})}
	if got := Observe(in).ResultExcerpt; len([]rune(got)) > maxResult || len(got) < maxResult/2 {
		t.Errorf("excerpt has %d characters", len([]rune(got)))
	}
}

func TestM11_ASuccessHasTheFieldsOfASuccessOnly(t *testing.T) {
	in := good()
	in.Result.Stdout = cellwall.Output{Text: "total 12\n", Bytes: 9}
	in.Result.Artifacts = []cellwall.Artifact{{Type: "image", Path: "趋势.png", Name: "趋势.png", SHA256: "x"}}
	b, err := json.Marshal(Observe(in))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"ok":true,"stdout_excerpt":"total 12\n","artifacts":[{"type":"image","path":"趋势.png"}]}`; string(b) != want {
		t.Errorf("observation is %s\nwant %s", b, want)
	}
}

func TestM9_ASampleIsToldWithTheTrueRowCount(t *testing.T) {
	in := good()
	in.Datasets = []cellwall.Dataset{
		{Name: "sales.csv", Format: "csv", Delimiter: ";", Encoding: "gb18030", HeaderRow: 1, Rows: 50_000, RowsGiven: 10_000, Sample: "random seed 42"},
		{Name: "more.xlsx", Format: "xlsx", Rows: 20_000, RowsGiven: 10_000, Sample: "head", Tables: []cellwall.Table{{Name: "more/Q2", Rows: 30_000, RowsGiven: 10_000}}},
		{Name: "small.csv", Rows: 5, RowsGiven: 5, Sample: "all"},
	}
	want := []string{
		`df holds 10,000 of 50,000 rows of "sales.csv", a random sample (seed 42); totals computed from it are not totals of the file. For totals, add up the whole file part by part: pd.read_csv("/workspace/input/sales.csv", sep=";", encoding="gb18030", chunksize=500_000).`,
		`dfs["more"] holds 10,000 of 20,000 rows of "more.xlsx", the first rows; totals computed from it are not totals of the file. For totals, read the whole file: pd.read_excel("/workspace/input/more.xlsx").`,
		`dfs["more/Q2"] holds 10,000 of 30,000 rows of "more.xlsx", the first rows; totals computed from it are not totals of the file. For totals, read the whole file: pd.read_excel("/workspace/input/more.xlsx", sheet_name="Q2").`,
	}
	if got := Warnings(in); !slices.Equal(got, want) {
		t.Errorf("warnings are %q", got)
	}
	in.Functions = []string{"rates"}
	if got := Warnings(in); strings.Contains(got[0], "tools.") {
		t.Errorf("a tool is promised that is not offered: %q", got)
	}
	in.Functions = append(in.Functions, "query")
	if got := Warnings(in); !strings.Contains(got[0], "tools.query(") {
		t.Errorf("the tool is not named: %q", got)
	}
	in.Language = "zh"
	if got := Warnings(in); !strings.Contains(got[0], "50,000 行中的 10,000 行（随机抽样，seed 42）") {
		t.Errorf("in Chinese: %q", got)
	}
}

func TestM11_Warnings(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Input)
		want   string
	}{
		"declared artifact": {func(in *Input) {
			in.ExpectedArtifacts = []string{"margin.png", "table.csv", "/workspace/output/deep/a.csv"}
			in.Result.Artifacts = []cellwall.Artifact{{Name: "out/margin.png"}, {Name: "deep/a.csv"}}
		}, `The declared artifact "table.csv" was not produced`},
		"refused artifact": {func(in *Input) {
			in.Result.SkippedArtifacts = []cellwall.SkippedArtifact{{Name: "x", Reason: "symlink"}}
		}, `The file "x" was not taken as an artifact: symlink.`},
		"truncated output": {func(in *Input) {
			in.Result.Stdout = cellwall.Output{Bytes: 6888890, Truncated: true}
		}, "stdout was 6,888,890 bytes long"},
		"limit":     {notice("limit_met", "limit", "memory"), "met its limit of memory"},
		"missing":   {notice("missing_values", "columns", "revenue"), `ignored in: "revenue".`},
		"glyphs":    {notice("missing_glyphs", "characters", "☃"), `missing glyphs): "☃"`},
		"empty":     {notice("empty_result"), "The result is empty"},
		"chart":     {notice("empty_chart", "figure", "1"), "Chart 1 is empty"},
		"overlap":   {notice("labels_overlap", "axis", "x"), "Labels on the x axis overlap"},
		"cut":       {notice("labels_cut", "axis", "y"), "Labels on the y axis are cut"},
		"infinite":  {notice("not_finite", "name", "margin", "value", "inf"), `"margin" is "inf"`},
		"total":     {notice("total_row", "table", "df", "row", "合计", "column", "qty"), `df has a total row (row "合计"`},
		"join":      {notice("join_multiplied", "left", "a", "right", "b", "rows", "900"), "multiplied rows: there are 900"},
		"ids":       {notice("sum_of_identifiers", "column", "order_id"), `"order_id" holds identifiers`},
		"bare":      {notice("labels_cut"), "Labels on the ? axis"},
		"one line":  {notice("magic_ignored", "line", "%time\n\x1b[2J"), `ignored: "%time`},
		"wall":      {func(in *Input) { in.Refused = []cellwall.Refusal{{Call: "ptrace", Count: 3}} }, "refused system calls: ptrace"},
		"by itself": {func(in *Input) { in.Result.Artifacts = nil }, ""},
		"unknown":   {notice("no_such_notice"), ""},
	} {
		in := good()
		c.change(&in)
		got := Warnings(in)
		if c.want == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || !strings.Contains(got[0], c.want) || c.want == "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if o := Observe(in); !slices.Equal(o.Warnings, got) {
			t.Errorf("%s: the observation says %q", name, o.Warnings)
		}
	}
	if got := Warnings(good()); got == nil {
		t.Error("no warnings are null in JSON")
	}
}

func notice(code string, pairs ...string) func(*Input) {
	args := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	return func(in *Input) { in.Notices = []cellwall.Notice{{Code: code, Args: args}, {Code: code, Args: args}} }
}

func TestM15_TheMaskReachesWhatAModelReads(t *testing.T) {
	in := failed(cellwall.ExecutionError{Type: "KeyError", Message: "'13912345678'", Name: "13912345678", Excerpt: "df['13912345678']"})
	in.Result.Stdout = cellwall.Output{Text: "call 13912345678\n"}
	in.Tables = []cellwall.TableInScope{{Name: "df", Columns: []string{"13912345679"}, DTypes: []string{"str"}}}
	in.Notices = []cellwall.Notice{{Code: "missing_values", Args: map[string]string{"columns": "13912345678"}}}
	raw, _ := json.Marshal("13912345678")
	in.Result.Results = []cellwall.Rich{{Data: map[string]json.RawMessage{"text/plain": raw}}}
	in.Mask = func(s string) string { return strings.ReplaceAll(s, "1391234567", "[phone]") }
	for _, ok := range []bool{false, true} {
		in.Result.OK = ok
		if text := whole(t, Observe(in)); strings.Contains(text, "1391234567") {
			t.Errorf("ok %v: unmasked: %s", ok, text)
		}
	}
}

func TestM10_WideTablesAreBoundedWithANote(t *testing.T) {
	in := failed(cellwall.ExecutionError{Type: "KeyError", Message: "'c0150x'", Name: "c0150x", Line: 1})
	wide := cellwall.TableInScope{Name: "df"}
	for i := range 400 {
		wide.Columns = append(wide.Columns, fmt.Sprintf("c%04d", i))
		wide.DTypes = append(wide.DTypes, "int64")
	}
	in.Tables = []cellwall.TableInScope{wide}
	o := Observe(in)
	if len(o.AvailableColumns) != maxColumns || len(o.DTypes) != maxColumns || o.DidYouMean[0] != "c0150" {
		t.Errorf("%d columns, %d types, did you mean %v", len(o.AvailableColumns), len(o.DTypes), o.DidYouMean)
	}
	if !slices.Contains(o.Warnings, "df has 400 columns; the first 100 are listed.") {
		t.Errorf("warnings are %q", o.Warnings)
	}
}

func TestO118_AFlaggedTableIsAWarning(t *testing.T) {
	in := Input{Result: &cellwall.Result{OK: true, Status: cellwall.StatusOK, Artifacts: []cellwall.Artifact{
		{Name: "safe.csv", Path: "safe.csv"}, {Name: "table.csv", Path: "table.csv", Flags: []string{"formulas"}},
	}}}
	got := Warnings(in)
	if len(got) != 1 || !strings.Contains(got[0], "table.csv") || !strings.Contains(got[0], "formulas") {
		t.Errorf("warnings are %q", got)
	}
}

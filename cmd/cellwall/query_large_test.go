package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/tools"
)

// largeFile is a table above the size from which a program of ours reads it in steps.
func largeFile(t *testing.T) (path string, rows int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("门店,区域,电话,备注,金额\n")
	for b.Len() <= int(ownLarge) {
		fmt.Fprintf(&b, "%03d,%s,1380013%04d,无,%d.5\n", rows%200, []string{"华东", "华北"}[rows%2], rows%10_000, rows%100)
		rows++
	}
	path = filepath.Join(t.TempDir(), "销售[1].csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, rows
}

// maskedTools is the toolbox of a conversation on a file, personal data masked.
func maskedTools(t *testing.T, path string) *toolbox {
	t.Helper()
	state := t.TempDir()
	linkEnvironments(t, state)
	h, err := newProgram().openHouse(&config{StateDir: state}, houseOptions{
		backend: defaultBackend, environment: defaultEnvironment, tune: (&askVerb{Mask: true}).tune,
	})
	if err != nil {
		t.Fatal(err)
	}
	inputs, undo, err := openInputs([]string{path}, cellwall.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	on := cellwall.Request{Datasets: inputs, Environment: defaultEnvironment, Backend: defaultBackend}
	box, end, err := h.openTools(on, houseTools{sql: queryEnvironment}, cellwall.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		undo()
		if err := end(); err != nil {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	box.state = box.state.Ran(tools.InspectData, true)
	return box
}

func TestM4_ALargeFileIsChartedFromTheColumnsThatAreDrawn(t *testing.T) {
	testkit.RequireRoot(t)
	path, rows := largeFile(t)
	box := maskedTools(t, path)
	for spec, want := range map[string]string{
		`{"kind":"bar","x":"区域"}`:                                               fmt.Sprint((rows + 1) / 2),
		`{"kind":"bar","x":"电话","limit":2}`:                                     "*******0000",
		`{"kind":"bar","x":"区域","y":"金客"}`:                                      "金额", // what there is
		`{"kind":"bar","x":"门店","limit":1,"sort":"x"}`:                          "000",
		`{"kind":"histogram","x":"金额","bins":4}`:                                "rows",
		`{"kind":"bar","x":"备注","where":[{"column":"金额","is":">","value":50}]}`: "无",
	} {
		o, err := box.Call(t.Context(), tools.MakeChart, spec)
		if err != nil || !strings.Contains(o.Text, want) || strings.Contains(o.Text, "1380013") {
			t.Errorf("%s: %s, %v, want %s", spec, o.Text, err, want)
		}
	}
}

// The way on which DuckDB reads a file by itself masks as every other does, and opens
// nothing but that file.
func TestM4_SQLOnALargeFileMasksAndReadsNothingElse(t *testing.T) {
	testkit.RequireRoot(t)
	path, rows := largeFile(t)
	box := maskedTools(t, path)
	if box.state.NoSQL {
		if testkit.Long() {
			t.Fatal("there is no " + queryEnvironment)
		}
		t.Skipf("it needs %s, which make test does not build: set CELLWALL_TEST_ALL=1; proof: NoSQL", queryEnvironment)
	}
	for sql, want := range map[string]string{
		`select count(*) n from df`: fmt.Sprint(rows),
		`select "门店", count(*) from "销售[1]" group by 1 order by 1 limit 1`: "000",
		`select "电话" from df limit 1`:                                      "*******0000",
		`select "金客" from df`:                                              "金额",
		`select * from read_csv('/etc/passwd')`:                            "disabled by configuration",
		`select * from read_text('/workspace/input/../../etc/passwd')`:     "disabled by configuration",
		`select * from glob('/etc/*')`:                                     "disabled by configuration",
		`copy (select 1) to '/tmp/table_0.csv'`:                            "only SELECT",
	} {
		raw, err := json.Marshal(map[string]string{"sql": sql})
		if err != nil {
			t.Fatal(err)
		}
		o, err := box.Call(t.Context(), tools.QueryData, string(raw))
		if err != nil || !strings.Contains(o.Text, want) || strings.Contains(o.Text, "1380013") {
			t.Errorf("%s: %s, %v, want %s", sql, o.Text, err, want)
		}
	}
}

func TestM50_AQueryWithoutItsEnvironmentIsRefusedUpFront(t *testing.T) {
	h, _ := openRealHouse(t, cellwall.Budget{})
	_, err := h.insideFunctions([]string{tools.QueryInside}, "python-stats-none", "en")
	if cellwall.CodeOf(err) != cellwall.CodeEnvironmentMissing || cellwall.HintOf(err) == "" {
		t.Errorf("%v (%s)", err, cellwall.HintOf(err))
	}
	if functions, err := h.queryFunctions("python-stats-none", "en"); err != nil || functions != nil {
		t.Errorf("a model is given %d functions, %v", len(functions), err)
	}
}

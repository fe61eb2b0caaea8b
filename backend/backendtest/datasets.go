package backendtest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
)

//go:embed programs/facts.py
var factsProgram string

// described are the facts of expected.json that stand in the description of a
// dataset; prose are those that a program cannot compute.
var (
	described = []string{"format", "encoding", "delimiter", "decimal", "thousands", "sheets", "header_row", "true_rows", "sample"}
	prose     = []string{"hint", "amount_rule", "keep_why", "nested", "order_of_columns", "digits_that_do_not_fit_a_float", "ids_of_the_head"}
)

// runDatasets demands that analyses of the cases give the facts of
// expected.json.
func runDatasets(t *testing.T, s Setup) {
	text, err := os.ReadFile(filepath.Join(s.Cases, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]map[string]any
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		t.Run(name, func(t *testing.T) {
			var file abuse.File
			var err error
			if name == "make_large.py" {
				file = large(t, s)
			} else if file, err = fileOf(s.Cases, name); err != nil {
				t.Fatal(err)
			}
			facts(t, s, file, expected[name])
		})
	}
}

// facts analyses one file and compares what came out.
func facts(t *testing.T, s Setup, file abuse.File, want map[string]any) {
	question, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	code := "import json\nEXPECT = json.loads(" + pythonText(string(question)) + ")\n" + factsProgram
	r := execute(t, s, cellwall.Request{Code: code, Limits: cellwall.Limits{OutputKeepBytes: cellwall.MiB}}, []abuse.File{file})
	if r.Status != cellwall.StatusOK {
		t.Fatalf("ended as %s (%s): %+v", r.Status, r.Cause, r.Error)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(r.Stdout.Text), &got); err != nil {
		t.Fatalf("printed %q: %v", clip(r.Stdout.Text), err)
	}
	for name, value := range want {
		if slices.Contains(described, name) || slices.Contains(prose, name) {
			continue
		}
		answer, ok := got[name]
		if !ok {
			t.Errorf("nothing computes %s", name)
			continue
		}
		if name == "columns" && want["order_of_columns"] == "free" {
			value, answer = sorted(value), sorted(answer)
		}
		for _, p := range differ(name, value, answer) {
			t.Error(p)
		}
	}
	if len(r.Datasets) != 1 {
		t.Fatalf("%d datasets are described", len(r.Datasets))
	}
	describedAs(t, r.Datasets[0], want)
	if d := r.Datasets[0]; d.Name != file.Name || d.Bytes != int64(len(file.Data)) || len(d.SHA256) != 64 {
		t.Errorf("the file is told as %q of %d bytes, sha256 %q", d.Name, d.Bytes, d.SHA256)
	}
}

// pythonText writes a string as a Python literal that JSON's escapes are part of.
func pythonText(s string) string {
	text, _ := json.Marshal(s) // a string is always JSON
	return string(text)
}

func sorted(list any) any {
	items, ok := list.([]any)
	if !ok {
		return list
	}
	items = slices.Clone(items)
	slices.SortFunc(items, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return items
}

// describedAs compares the description with what a reader must find.
func describedAs(t *testing.T, d cellwall.Dataset, want map[string]any) {
	t.Helper()
	for name, got := range map[string]any{
		"format": d.Format, "encoding": encodingName(d.Encoding), "delimiter": d.Delimiter, "decimal": d.Decimal,
		"thousands": d.Thousands, "header_row": float64(d.HeaderRow), "rows": float64(d.Rows), "true_rows": float64(d.Rows),
		"rows_given": float64(d.RowsGiven),
	} {
		if value, ok := want[name]; ok && got != value {
			t.Errorf("%s is told as %v, want %v", name, got, value)
		}
	}
	if sheets, ok := want["sheets"]; ok && fmt.Sprint(d.Sheets) != fmt.Sprint(sheets) {
		t.Errorf("sheets are told as %q, want %v", d.Sheets, sheets)
	}
	cut := d.RowsGiven < d.Rows
	if told := d.Sample != "" && d.Sample != "all"; told != cut {
		t.Errorf("%d of %d rows are given and the sample is told as %q", d.RowsGiven, d.Rows, d.Sample)
	}
	digits, _ := want["digits_that_do_not_fit_a_float"].([]any)
	for _, c := range d.Columns {
		if slices.Contains(digits, any(c.Name)) && strings.HasPrefix(c.DType, "float") {
			t.Errorf("column %s is %s and loses digits", c.Name, c.DType)
		}
	}
}

// encodingName folds the names of an encoding that mean the same bytes.
func encodingName(name string) string {
	switch strings.ToLower(name) {
	case "utf-8", "utf-8-sig", "utf8", "ascii":
		return "utf-8"
	case "latin-1", "iso-8859-1", "cp1252", "windows-1252":
		return "latin-1"
	case "utf-16", "utf-16-le", "utf-16-be":
		return "utf-16"
	}
	return strings.ToLower(name)
}

// differ compares two JSON values, numbers to six digits.
func differ(at string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s is %v, want %v", at, got, want)}
		}
		var bad []string
		for _, key := range slices.Sorted(maps.Keys(w)) {
			bad = append(bad, differ(at+"."+key, w[key], g[key])...)
		}
		return bad
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s is %v, want %v", at, got, want)}
		}
		var bad []string
		for i := range w {
			bad = append(bad, differ(fmt.Sprintf("%s[%d]", at, i), w[i], g[i])...)
		}
		return bad
	case float64:
		if g, ok := got.(float64); ok && math.Abs(g-w) <= 1e-6*math.Max(1, math.Abs(w)) {
			return nil
		}
	default:
		if want == got {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s is %v, want %v", at, got, want)}
}

// large makes the file above the row limit, inside a sandbox. It comes out as
// text: a table that long is no artifact.
func large(t *testing.T, s Setup) abuse.File {
	t.Helper()
	maker, err := os.ReadFile(filepath.Join(s.Cases, "make_large.py"))
	if err != nil {
		t.Fatal(err)
	}
	code := strings.Split(string(maker), "if __name__ ==")[0] +
		"\nwrite('/tmp/large.csv')\nprint(open('/tmp/large.csv', encoding='utf-8').read(), end='')\n"
	r := execute(t, s, cellwall.Request{Code: code, Limits: cellwall.Limits{OutputKeepBytes: 4 * cellwall.MiB}}, nil)
	if !r.OK || r.Stdout.Truncated {
		t.Fatalf("ended as %s: %+v, %d bytes, truncated %v", r.Status, r.Error, r.Stdout.Bytes, r.Stdout.Truncated)
	}
	return abuse.File{Name: "large.csv", Data: []byte(r.Stdout.Text)}
}

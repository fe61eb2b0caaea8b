package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

var facts = []cellwall.InputFact{{ID: "ds_x", Name: "sales.csv", Bytes: 12, SHA256: "abc"}}

const good = `[{"id":"ds_forged","name":"/etc/passwd","bytes":9,"sha256":"ff","format":"csv","encoding":"utf-8",` +
	`"delimiter":"\t","rows":3,"rows_given":2,"sample":"head","columns":[{"name":"a","dtype":"str","missing":1,` +
	`"examples":["x\u001b[2Jy"],"kind":"date"}],"tables":[{"name":"sales/b","rows":1,"rows_given":1,"columns":[]}],` +
	`"warnings":["one\ntwo"]}]`

func TestMerge_takes_identity_from_outside_and_cleans_the_rest(t *testing.T) {
	got, err := Merge([]byte(good), facts)
	if err != nil {
		t.Fatal(err)
	}
	d := got[0]
	if d.ID != "ds_x" || d.Name != "sales.csv" || d.Bytes != 12 || d.SHA256 != "abc" {
		t.Errorf("the sandbox's word counted: %+v", d)
	}
	if d.Delimiter != "\t" || d.Rows != 3 || d.RowsGiven != 2 || d.Columns[0].Missing != 1 || d.Tables[0].Name != "sales/b" {
		t.Errorf("description lost: %+v", d)
	}
	if d.Columns[0].Examples[0] != "x [2Jy" || d.Warnings[0] != "one two" {
		t.Errorf("control characters passed: %q %q", d.Columns[0].Examples, d.Warnings)
	}
}

func TestMerge_refuses_what_breaks_a_bound(t *testing.T) {
	column := func(n int, fields string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"name":"a","dtype":"str","missing":0`+fields+"},", n), ",") + "]"
	}
	one := func(fields string) string {
		return `[{"format":"csv","sample":"all","rows":5,"rows_given":5,` + fields + "}]"
	}
	texts := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`"w",`, n), ",") + "]" }
	long := strings.Repeat("é", MaxText+1)
	for name, payload := range map[string]string{
		"nothing":             ``,
		"null":                `null`,
		"an object":           `{}`,
		"no description":      `[]`,
		"two for one file":    one(`"columns":[]`)[:len(one(`"columns":[]`))-1] + "," + one(`"columns":[]`)[1:],
		"unknown field":       one(`"columns":[],"path":"/x"`),
		"bytes after":         one(`"columns":[]`) + `[]`,
		"bad UTF-8":           one("\"encoding\":\"\xff\""),
		"empty columns":       one(`"columns":[` + strings.Repeat(`{},`, 99) + `{}]`),
		"unknown format":      `[{"format":"pickle","sample":"all","columns":[]}]`,
		"unknown sample":      `[{"format":"csv","sample":"most","columns":[]}]`,
		"negative rows":       `[{"format":"csv","sample":"all","rows":-1,"rows_given":-1,"columns":[]}]`,
		"more than there are": `[{"format":"csv","sample":"head","rows":1,"rows_given":2,"columns":[]}]`,
		"all is not all":      `[{"format":"csv","sample":"all","rows":3,"rows_given":2,"columns":[]}]`,
		"rows as float":       `[{"format":"csv","sample":"all","rows":1.5,"columns":[]}]`,
		"rows past int64":     `[{"format":"csv","sample":"all","rows":9223372036854775808,"columns":[]}]`,
		"negative header":     one(`"header_row":-1,"columns":[]`),
		"many columns":        one(`"columns":` + column(MaxColumns+1, "")),
		"many tables":         one(`"columns":[],"tables":[` + strings.TrimSuffix(strings.Repeat(`{},`, MaxTables+1), ",") + "]"),
		"many sheets":         one(`"columns":[],"sheets":` + texts(MaxTables+1)),
		"many warnings":       one(`"columns":[],"warnings":` + texts(MaxWarnings+1)),
		"many examples":       one(`"columns":` + column(1, `,"examples":`+texts(MaxExamples+1))),
		"missing above rows":  one(`"columns":[{"name":"a","missing":6}]`),
		"missing below zero":  one(`"columns":[{"name":"a","missing":-1}]`),
		"long name":           one(`"columns":[{"name":"` + long + `"}]`),
		"long dtype":          one(`"columns":[{"dtype":"` + long + `"}]`),
		"long warning":        one(`"columns":[],"warnings":["` + long + `"]`),
		"long delimiter":      one(`"columns":[],"delimiter":"` + long + `"`),
		"long table name":     one(`"columns":[],"tables":[{"name":"` + long + `"}]`),
		"bad table":           one(`"columns":[],"tables":[{"rows":-1}]`),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Merge([]byte(payload), facts)
			if !errors.Is(err, ErrDescription) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestMerge_accepts_each_bound_itself(t *testing.T) {
	d := cellwall.Dataset{Format: "xlsx", Sample: GivenRandom, Rows: 9, RowsGiven: 9, HeaderRow: maxHeader}
	d.Columns = make([]cellwall.Column, MaxColumns)
	d.Columns[0] = cellwall.Column{Name: strings.Repeat("é", MaxText), Missing: 9, Examples: make([]string, MaxExamples)}
	d.Tables, d.Sheets = make([]cellwall.Table, MaxTables), make([]string, MaxTables)
	d.Warnings = make([]string, MaxWarnings)
	payload, err := json.Marshal([]cellwall.Dataset{d})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(payload, facts); err != nil {
		t.Error(err)
	}
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`[{"format":"csv","sample":"all","columns":null}]`))
	f.Add([]byte(`[{"format":"csv","sample":"all","columns":[{"name":"\ud800\u202e"}]}]`))
	f.Add([]byte(strings.Repeat("[", 20_000)))
	f.Fuzz(func(t *testing.T, payload []byte) {
		got, err := Merge(payload, facts)
		if err != nil {
			if !errors.Is(err, ErrDescription) || got != nil {
				t.Fatalf("%v with %v", err, got)
			}
			return
		}
		if len(got) != 1 || got[0].SHA256 != "abc" || got[0].RowsGiven > got[0].Rows || len(got[0].Columns) > MaxColumns {
			t.Fatalf("accepted %+v", got)
		}
		got[0].Delimiter = ""
		text := fmt.Sprintf("%q", fmt.Sprint(got))
		if strings.ContainsFunc(fmt.Sprint(got), unicode.IsControl) || !utf8.ValidString(text) {
			t.Fatalf("control characters in %s", text)
		}
	})
}

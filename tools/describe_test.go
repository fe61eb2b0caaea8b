package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

// workbook has so many sheets of so many columns.
func workbook(sheets, columns int, name string) cellwall.Dataset {
	ds := cellwall.Dataset{Name: "book.xlsx", Rows: 10, RowsGiven: 10}
	for i := range columns {
		ds.Columns = append(ds.Columns, cellwall.Column{Name: fmt.Sprint(name, i), DType: "float64", Examples: []string{name, name + "2", name + "3"}})
	}
	for i := range sheets - 1 {
		ds.Tables = append(ds.Tables, cellwall.Table{Name: fmt.Sprint("book/", name, i), Rows: 5, RowsGiven: 5, Columns: ds.Columns})
	}
	return ds
}

func TestM4_ADescriptionFitsIntoAConversation(t *testing.T) {
	for name, tt := range map[string]struct {
		ds     cellwall.Dataset
		tables int // with columns
		named  int // in all
	}{
		"one small table":          {workbook(1, 5, "列"), 1, 1},
		"a workbook":               {workbook(12, 30, "c"), 12, 12},
		"sixty sheets":             {workbook(60, 60, "c"), 20, 60},
		"names as long as they go": {workbook(64, 60, strings.Repeat("很长的名字", 40)), 5, 15},
	} {
		list := tools.Describe([]cellwall.Dataset{tt.ds}, "")
		raw, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		if n := tools.Tokens(string(raw)); n > 10_000 {
			t.Errorf("%s: %d tokens", name, n)
		}
		whole := 0
		for _, table := range list {
			if len(table.Columns) > 0 {
				whole++
			}
			if table.More != 0 && len(table.Columns)+table.More != len(tt.ds.Columns) {
				t.Errorf("%s: %d columns told and %d more, of %d", name, len(table.Columns), table.More, len(tt.ds.Columns))
			}
		}
		if whole != tt.tables || len(list) != tt.named {
			t.Errorf("%s: %d tables with columns of %d, want %d of %d", name, whole, len(list), tt.tables, tt.named)
		}
	}
	noticed := workbook(2, 2, "c")
	noticed.Warnings = slices.Repeat([]string{`row "合计" is the total of the others`}, 20)
	if list := tools.Describe([]cellwall.Dataset{noticed}, ""); len(list) != 2 || len(list[0].Noticed) != 8 || list[1].Noticed != nil {
		t.Errorf("what was noticed: %+v", list)
	}
	one := tools.Describe([]cellwall.Dataset{workbook(60, 60, "c")}, "book/c58")
	if len(one) != 1 || len(one[0].Columns) != 60 || len(one[0].Columns[0].Examples) != 3 {
		t.Errorf("the one that is asked for: %.300v", one)
	}
}

func TestM6_TheLimitsOfTheDataAreThoseOfEveryTable(t *testing.T) {
	gaps := []cellwall.Column{{Name: "a"}, {Name: "b", Missing: 2}}
	got := tools.DataLimits([]cellwall.Dataset{{
		Name: "x.xlsx", Rows: 20_000, RowsGiven: 10_000, Sample: "random seed 42", Columns: gaps, Warnings: []string{"noticed"},
		Tables: []cellwall.Table{{Name: "x/汇总", Rows: 3, RowsGiven: 3, Columns: gaps[:1]}, {Name: "x/明细", Rows: 11_000, RowsGiven: 10_000, Columns: gaps}},
	}, {Name: "whole.csv", Rows: 5, RowsGiven: 5, Columns: gaps[:1]}}, tools.English)
	want := []string{
		`"x.xlsx" has 20000 rows; programs saw 10000 of them (sample: random seed 42), SQL and charts all.`,
		`"x.xlsx": 1 columns have missing values.`,
		`"x/明细" has 11000 rows; programs saw 10000 of them (sample: random seed 42), SQL and charts all.`,
		`"x/明细": 1 columns have missing values.`,
		"noticed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

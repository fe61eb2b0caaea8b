package tools

import (
	"encoding/json"
	"fmt"

	"github.com/cellwall/cellwall"
)

// Told is a table as inspect_data tells of it.
type Told struct {
	Table     string       `json:"table"` // its name in SQL and in dfs
	File      string       `json:"file,omitempty"`
	Rows      int64        `json:"rows"`                 // in the file: what SQL and charts see
	RowsGiven int64        `json:"rows_in_df,omitempty"` // when run_python sees fewer
	Sample    string       `json:"sample,omitempty"`
	Columns   []ToldColumn `json:"columns"`
	More      int          `json:"more_columns,omitempty"`
	Noticed   []string     `json:"noticed,omitempty"` // by the reader of the file
}

// ToldColumn is one column of it.
type ToldColumn struct {
	Name     string   `json:"name"`
	DType    string   `json:"dtype"`
	Kind     string   `json:"kind,omitempty"`
	Missing  int64    `json:"missing,omitempty"`
	Examples []string `json:"examples,omitempty"`
}

// What a description holds at most; a model that needs more asks for one table.
const (
	mostTables   = 20
	mostColumns  = 60
	mostOfOne    = 300
	mostExamples = 3
	mostTold     = 8000 // tokens
	mostNoticed  = 8    // sentences of a file
)

// Describe tells of every table, or of the one that is named. What would be too
// long for a conversation loses its examples first, then columns: of the last
// tables there is only the name then.
func Describe(datasets []cellwall.Dataset, table string) []Told {
	columns := mostColumns
	if table != "" {
		columns = mostOfOne
	}
	var list []Told
	for _, d := range []toldDetail{
		{mostExamples, columns, mostTables, 100},
		{1, columns, mostTables, 100},
		{0, columns, mostTables, 100},
		{0, 20, mostTables, 100},
		{0, 5, mostTables, 100},
		{0, 5, 5, 10},
	} {
		if list = describeBy(datasets, table, d); size(list) <= mostTold {
			break
		}
	}
	return list
}

// toldDetail is how much is told: examples of a column, columns of a table, tables
// with their columns, and tables by name alone.
type toldDetail struct{ examples, columns, tables, names int }

// size is how many tokens a description is.
func size(list []Told) int {
	raw, err := json.Marshal(list)
	if err != nil {
		return 0 // strings and numbers: there is no error
	}
	return Tokens(string(raw))
}

func describeBy(datasets []cellwall.Dataset, table string, d toldDetail) []Told {
	list := []Told{}
	add := func(name, file string, rows, given int64, sample string, of []cellwall.Column) {
		if table != "" && table != name && table != file || len(list) == d.tables+d.names {
			return
		}
		examples, columns := d.examples, d.columns
		if len(list) >= d.tables {
			columns = 0
		}
		t := Told{Table: name, File: file, Rows: rows, Columns: told(of, examples, columns), More: max(0, len(of)-columns)}
		if given < rows {
			t.RowsGiven, t.Sample = given, sample
		}
		list = append(list, t)
	}
	for _, ds := range datasets {
		begin := len(list)
		add(stem(ds.Name), ds.Name, ds.Rows, ds.RowsGiven, ds.Sample, ds.Columns)
		for _, t := range ds.Tables {
			add(t.Name, "", t.Rows, t.RowsGiven, ds.Sample, t.Columns)
		}
		if begin < len(list) && d.examples > 0 {
			for _, said := range ds.Warnings[:min(mostNoticed, len(ds.Warnings))] {
				list[begin].Noticed = append(list[begin].Noticed, cut(said, 300))
			}
		}
	}
	return list
}

func told(of []cellwall.Column, examples, columns int) []ToldColumn {
	list := []ToldColumn{}
	for _, c := range of[:min(columns, len(of))] {
		list = append(list, ToldColumn{
			Name: c.Name, DType: c.DType, Kind: c.Kind, Missing: c.Missing, Examples: c.Examples[:min(examples, len(c.Examples))],
		})
	}
	return list
}

// DataLimits are sentences on what the data cannot say: samples and missing
// values of every table, and what their reader noticed, for the answer.
func DataLimits(datasets []cellwall.Dataset, l Language) (list []string) {
	add := func(name string, rows, given int64, sample string, columns []cellwall.Column) {
		if given < rows {
			list = append(list, l.Text(limitSample, "name", quoted(name), "rows", fmt.Sprint(rows), "given", fmt.Sprint(given), "how", bare(sample)))
		}
		if missing := lacking(columns); missing > 0 {
			list = append(list, l.Text(limitMissing, "name", quoted(name), "n", fmt.Sprint(missing)))
		}
	}
	for _, ds := range datasets {
		add(ds.Name, ds.Rows, ds.RowsGiven, ds.Sample, ds.Columns)
		for _, t := range ds.Tables {
			add(t.Name, t.Rows, t.RowsGiven, ds.Sample, t.Columns)
		}
		list = append(list, ds.Warnings...)
	}
	return list
}

// lacking is how many columns have missing values.
func lacking(columns []cellwall.Column) (n int) {
	for _, c := range columns {
		if c.Missing > 0 {
			n++
		}
	}
	return n
}

var (
	limitSample = Phrase{
		"{name} has {rows} rows; programs saw {given} of them (sample: {how}), SQL and charts all.",
		"{name} 共有 {rows} 行；代码只使用其中 {given} 行（抽样方式：{how}），SQL 与图表使用全部。",
	}
	limitMissing = Phrase{"{name}: {n} columns have missing values.", "{name}：有 {n} 列存在缺失值。"}
)

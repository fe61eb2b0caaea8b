package tools

import (
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
)

// Describe tells of every table, or of the one that is named.
func Describe(datasets []cellwall.Dataset, table string) []Told {
	list := []Told{}
	columns := mostColumns
	if table != "" {
		columns = mostOfOne
	}
	add := func(name, file string, rows, given int64, sample string, of []cellwall.Column) {
		if table != "" && table != name && table != file || len(list) == mostTables {
			return
		}
		t := Told{Table: name, File: file, Rows: rows, Columns: told(of, columns), More: max(0, len(of)-columns)}
		if given < rows {
			t.RowsGiven, t.Sample = given, sample
		}
		list = append(list, t)
	}
	for _, ds := range datasets {
		add(stem(ds.Name), ds.Name, ds.Rows, ds.RowsGiven, ds.Sample, ds.Columns)
		for _, t := range ds.Tables {
			add(t.Name, "", t.Rows, t.RowsGiven, ds.Sample, t.Columns)
		}
	}
	return list
}

func told(columns []cellwall.Column, most int) []ToldColumn {
	list := []ToldColumn{}
	for _, c := range columns[:min(most, len(columns))] {
		examples := c.Examples[:min(mostExamples, len(c.Examples))]
		list = append(list, ToldColumn{Name: c.Name, DType: c.DType, Kind: c.Kind, Missing: c.Missing, Examples: examples})
	}
	return list
}

// DataLimits are sentences on what the data cannot say: samples and missing
// values, for the answer.
func DataLimits(datasets []cellwall.Dataset, l Language) (list []string) {
	for _, ds := range datasets {
		if ds.RowsGiven < ds.Rows {
			list = append(list, l.Text(limitSample, "name", ds.Name, "rows", fmt.Sprint(ds.Rows), "given", fmt.Sprint(ds.RowsGiven), "how", bare(ds.Sample)))
		}
		missing := 0
		for _, c := range ds.Columns {
			if c.Missing > 0 {
				missing++
			}
		}
		if missing > 0 {
			list = append(list, l.Text(limitMissing, "name", ds.Name, "n", fmt.Sprint(missing)))
		}
		list = append(list, ds.Warnings...)
	}
	return list
}

var (
	limitSample = Phrase{
		"{name} has {rows} rows; programs saw {given} of them (sample: {how}), SQL and charts all.",
		"{name} 共有 {rows} 行；代码只使用其中 {given} 行（抽样方式：{how}），SQL 与图表使用全部。",
	}
	limitMissing = Phrase{"{name}: {n} columns have missing values.", "{name}：有 {n} 列存在缺失值。"}
)

package tools

import (
	_ "embed" // the programs below
	"encoding/json"
	"fmt"
)

//go:embed programs/query.py
var queryProgram string

//go:embed programs/chart.py
var chartProgram string

// Source is the program that a call of query_data or make_chart is in a sandbox:
// ours, which reads what the model said as data. "" for the other tools.
func Source(c Call) (string, error) {
	var asked any
	program, function := "", ""
	switch {
	case c.Query != nil:
		program, function, asked = queryProgram, "query_data", c.Query
	case c.Chart != nil:
		program, function, asked = chartProgram, "make_chart", c.Chart
	default:
		return "", nil
	}
	return written(c.Tool, program, function, asked)
}

// RowsSource is the program of tools.query: SQL over every row, whose answer is a value
// of the type [RowsType], for a program and for nobody else.
func RowsSource(sql string) (string, error) {
	return written("query", queryProgram, "query_rows", Query{SQL: sql})
}

// RowsType is the type of what RowsSource displays: text, which is the JSON of a table.
const RowsType = "text/x-cellwall-table"

// written is a program that calls one of its functions with what was asked.
func written(tool, program, function string, asked any) (string, error) {
	raw, err := json.Marshal(asked)
	if err == nil {
		raw, err = json.Marshal(string(raw)) // a text in JSON is one in Python, as Go writes it
	}
	if err != nil {
		return "", fmt.Errorf("write the program of %s: %w", tool, err)
	}
	return fmt.Sprintf("%s\nimport json\n%s(json.loads(%s))\n", program, function, raw), nil
}

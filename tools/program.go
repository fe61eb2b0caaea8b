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
	raw, err := json.Marshal(asked)
	if err == nil {
		raw, err = json.Marshal(string(raw)) // a text in JSON is one in Python, as Go writes it
	}
	if err != nil {
		return "", fmt.Errorf("write the program of %s: %w", c.Tool, err)
	}
	return fmt.Sprintf("%s\nimport json\n%s(json.loads(%s))\n", program, function, raw), nil
}

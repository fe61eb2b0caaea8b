package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall/tools"
)

// What costs a reader more than it cost its writer.
func TestM1_AHostileCallIsReadInNoTime(t *testing.T) {
	s := compiled(t)
	var fields, conditions strings.Builder
	for i := range 15_000 {
		fmt.Fprintf(&fields, `"f%d":1,`, i)
	}
	for range 5_000 {
		conditions.WriteString(`{"column":"a","is":"in","value":[[1],{}]},`)
	}
	for name, tt := range map[string]struct{ tool, arguments string }{
		"a number with a long exponent":     {query, `{"sql":"x","max_rows":1e999999}`},
		"a number with a longer one":        {query, `{"sql":"x","max_rows":1e999999999999}`},
		"a small number with a long one":    {query, `{"sql":"x","max_rows":1e-999999}`},
		"a number of many digits":           {query, `{"sql":"x","max_rows":` + strings.Repeat("9", 200_000) + `}`},
		"a value with a long exponent":      {chart, `{"kind":"bar","x":"a","where":[{"column":"a","is":"=","value":1e999999}]}`},
		"fields without end":                {python, `{` + fields.String() + `"code":"1"}`},
		"conditions without end":            {chart, `{"kind":"bar","x":"a","where":[` + strings.TrimSuffix(conditions.String(), ",") + `]}`},
		"depth without end":                 {python, strings.Repeat(`{"code":`, 20_000)},
		"lists without end":                 {python, `{"code":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `,"purpose":"p"}`},
		"one field twice, a schema's words": {python, `{"code":"1","code":"2","purpose":"p","$ref":"file:///etc/passwd"}`},
	} {
		began := time.Now() // a guard: the race detector and a busy machine make seconds of 0.2
		_, faults := s.Decode(tt.tool, []byte(tt.arguments), tools.English)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		if len(faults) > 20 || len(faults.String()) > 20_000 || len(faults) == 0 && !strings.Contains(name, "value") {
			t.Errorf("%s: %d faults of %d bytes", name, len(faults), len(faults.String()))
		}
	}
}

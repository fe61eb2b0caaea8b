package tools

import (
	"fmt"

	"github.com/cellwall/cellwall"
)

// QueryInside is the name of the one function of ours that code may call.
const QueryInside = "query"

// NewQuery makes tools.query, which do answers with a table.
func NewQuery(l Language, do Answer) (cellwall.Function, error) {
	raw, err := schemas.ReadFile("schemas/" + QueryInside + ".json")
	if err != nil {
		return cellwall.Function{}, fmt.Errorf("read schema of %s: %w", QueryInside, err)
	}
	f, err := NewFunction(QueryInside, l.Text(describeQuery), raw, l, do)
	f.Nested = true
	return f, err
}

var describeQuery = Phrase{
	"Run one read-only SQL SELECT (DuckDB) over every row of the data, also those that df does not have; returns a DataFrame.",
	"对全部数据行（包括 df 中没有的行）执行一条只读 SQL SELECT（DuckDB），返回 DataFrame。",
}

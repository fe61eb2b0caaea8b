package controller

import (
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestD94_TheCollectorKeepsLittleOfMuch(t *testing.T) {
	c := newCollector(cellwall.DefaultLimits(), func(string) string { return "" }, nil)
	long := asJSON(t, cellwall.Notice{Code: "x", Args: map[string]string{"a": strings.Repeat("x", maxNoticeBytes/2)}})
	for range 4 {
		c.collect(cellwall.Event{Kind: cellwall.EventNotice, Data: long})
	}
	for range 2 * maxNotices {
		c.collect(cellwall.Event{Kind: cellwall.EventNotice, Data: asJSON(t, cellwall.Notice{Code: "y"})})
	}
	if len(c.notices) != maxNotices || c.notices[0].Code != "x" || c.notices[1].Code != "y" {
		t.Errorf("%d notices were kept, the first two %.9q", len(c.notices), c.notices[:2])
	}
	table := cellwall.TableInScope{Columns: slices.Repeat([]string{"a"}, 2*maxColumns), DTypes: slices.Repeat([]string{"b"}, 2*maxColumns)}
	c.collect(cellwall.Event{Kind: cellwall.EventTables, Data: asJSON(t, slices.Repeat([]cellwall.TableInScope{table}, 2*maxTables))})
	if len(c.tables) != maxTables || cap(c.tables) > 2*maxTables-1 {
		t.Fatalf("%d tables are kept in a list of %d", len(c.tables), cap(c.tables))
	}
	for _, kept := range c.tables {
		if len(kept.Columns) != maxColumns || len(kept.DTypes) != maxColumns || cap(kept.Columns) >= 2*maxColumns {
			t.Fatalf("%d columns and %d dtypes are kept in a list of %d", len(kept.Columns), len(kept.DTypes), cap(kept.Columns))
		}
	}
}

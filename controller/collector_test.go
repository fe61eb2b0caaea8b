package controller

import (
	"encoding/json"
	"slices"
	"strconv"
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

// Answered is what there is room to keep, and says what is missing.
func TestResults_AreNarrowedToTheRoomThereIs(t *testing.T) {
	c := newCollector(cellwall.DefaultLimits(), func(string) string { return "" }, nil)
	c.narrow(64 << 10)
	c.collect(cellwall.Event{Kind: cellwall.EventResult, Rich: &cellwall.Rich{Data: map[string]json.RawMessage{"text/plain": asJSON(t, strings.Repeat("\x01", 10<<10))}}})
	c.collect(cellwall.Event{Kind: cellwall.EventResult, Rich: &cellwall.Rich{Data: map[string]json.RawMessage{"text/plain": asJSON(t, "small")}}})
	for _, kind := range []cellwall.EventKind{cellwall.EventStdout, cellwall.EventStderr} {
		c.collect(cellwall.Event{Kind: kind, Data: []byte(strings.Repeat("\x01", 100<<10))})
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	out, errs := c.stdout.output(), c.stderr.output()
	if size := len(asJSON(t, []any{c.results, out, errs})); size > 64<<10 || len(c.results) != 1 || !out.Truncated || !errs.Truncated || out.Bytes != 100<<10 {
		t.Errorf("%d bytes, %d results, %+v", size, len(c.results), out.Truncated)
	}
	if len(c.notices) != 1 || c.notices[0].Code != "results_dropped" {
		t.Errorf("it is told %v", c.notices)
	}
}

// A value of control characters is six times as long once it is written: the bound
// holds for what is answered and kept, not for what the program had.
func TestResults_AreBoundedAsTheyAreWritten(t *testing.T) {
	const each = 1 << 20 // characters of one value
	for name, test := range map[string]struct {
		text string
		mime string
		want int
	}{
		"letters":                         {strings.Repeat("a", each), "text/plain", 7},
		"control characters":              {strings.Repeat("\x01", each), "text/plain", 1},
		"a type's name of controls alone": {"", strings.Repeat("\x01", each), 1},
	} {
		c := newCollector(cellwall.DefaultLimits(), func(string) string { return "" }, nil)
		rich := &cellwall.Rich{Data: map[string]json.RawMessage{test.mime: asJSON(t, test.text)}}
		for range 9 {
			c.collect(cellwall.Event{Kind: cellwall.EventResult, Rich: rich})
		}
		if err := c.close(); err != nil {
			t.Fatal(err)
		}
		if size := len(asJSON(t, c.results)); len(c.results) != test.want || size > 8<<20 {
			t.Errorf("%s: %d values of %d bytes are kept, want %d", name, len(c.results), size, test.want)
		}
		if n := c.notices; len(n) != 1 || n[0].Code != "results_dropped" || n[0].Args["count"] != strconv.Itoa(9-test.want) {
			t.Errorf("%s: it is told %v", name, n)
		}
	}
}

package tools

import (
	"encoding/json"
	"slices"
)

// Chart is the spec of one chart.
type Chart struct {
	Kind      string  `json:"kind"` // bar, stacked, line, scatter, histogram, box, heatmap
	Table     string  `json:"table,omitempty"`
	X         string  `json:"x"`
	Y         string  `json:"y,omitempty"` // "" = count rows
	Value     string  `json:"value,omitempty"`
	Aggregate string  `json:"aggregate,omitempty"`
	Series    string  `json:"series,omitempty"`
	Facet     string  `json:"facet,omitempty"`
	Every     string  `json:"every,omitempty"`
	Bins      int     `json:"bins,omitempty"`
	Sort      string  `json:"sort,omitempty"`
	Limit     int     `json:"limit,omitempty"`
	Where     []Where `json:"where,omitempty"`
	Title     string  `json:"title,omitempty"`
	XLabel    string  `json:"x_label,omitempty"`
	YLabel    string  `json:"y_label,omitempty"`
}

// Where is one condition on rows.
type Where struct {
	Column string          `json:"column"`
	Is     string          `json:"is"`
	Value  json.RawMessage `json:"value,omitempty"`
}

// check looks at what fields of a chart mean together, which a schema that a
// model reads would be too long for.
func (c *Chart) check(l Language) (f Faults) {
	wrong := func(field string, p Phrase, args ...string) {
		f = append(f, Fault{field, l.Text(p, append(args, "kind", c.Kind)...)})
	}
	for _, only := range []struct {
		field string
		given bool
		kinds []string
	}{
		{"value", c.Value != "", []string{"heatmap"}},
		{"bins", c.Bins != 0, []string{"histogram"}},
		{"sort", c.Sort != "", []string{"bar", "stacked", "line", "box"}},
		{"limit", c.Limit != 0, []string{"bar", "stacked", "box", "heatmap"}},
		{"aggregate", c.Aggregate != "", []string{"bar", "stacked", "line", "heatmap"}},
		{"every", c.Every != "", []string{"bar", "stacked", "line", "heatmap"}},
	} {
		if only.given && !slices.Contains(only.kinds, c.Kind) {
			wrong(only.field, onlyFor, "kinds", l.list(only.kinds))
		}
	}
	for _, needs := range []struct {
		field string
		given bool
		kinds []string
	}{
		{"y", c.Y != "", []string{"scatter", "heatmap"}},
		{"series", c.Series != "", []string{"stacked"}},
	} {
		if !needs.given && slices.Contains(needs.kinds, c.Kind) {
			wrong(needs.field, neededFor)
		}
	}
	if c.Y != "" && (c.Kind == "histogram" || c.Kind == "box") {
		wrong("y", measuresX)
	}
	if c.Aggregate == "none" && c.Kind != "line" {
		wrong("aggregate", onlyFor, "kinds", "line")
	}
	for i, w := range c.Where {
		if p, bad := w.wrong(); bad {
			wrong(path([]string{"where", string(rune('0' + i)), "value"}), p, "is", w.Is)
		}
	}
	return f
}

// wrong says whether the value fits the comparison.
func (w Where) wrong() (Phrase, bool) {
	given, list := len(w.Value) > 0, len(w.Value) > 0 && w.Value[0] == '['
	switch {
	case w.Is == "missing" || w.Is == "present":
		return takesNone, given
	case !given:
		return takesOne, true
	case w.Is == "in":
		return takesList, !list
	}
	return takesOne, list
}

var (
	onlyFor   = Phrase{"is not for a {kind} chart, only for: {kinds}", "不适用于 {kind} 图，仅适用于：{kinds}"}
	neededFor = Phrase{"is required for a {kind} chart", "{kind} 图必须给出"}
	measuresX = Phrase{"a {kind} chart measures x; leave y out, and use series to compare", "{kind} 图度量的是 x，请去掉 y；比较分组请用 series"}
	takesNone = Phrase{"{is} takes no value", "{is} 不需要 value"}
	takesOne  = Phrase{"{is} takes one value", "{is} 需要一个值"}
	takesList = Phrase{"{is} takes a list", "{is} 需要一个列表"}
)

package observe

import (
	"encoding/json"
	"strings"

	"github.com/cellwall/cellwall"
)

// chart is what the driver says about a figure, as far as it is told on.
// Unknown fields are passed over.
type chart struct {
	Type     string            `json:"type"`
	Title    string            `json:"title"`
	XLabel   string            `json:"x_label"`
	YLabel   string            `json:"y_label"`
	Elements []json.RawMessage `json:"elements"`
}

// mark is one element of a chart: a bar or slice has a value, a line or a
// scatter has points, a box its quartiles, a panel its own elements.
type mark struct {
	Label    any               `json:"label"`
	Group    any               `json:"group"`
	Value    any               `json:"value"`
	Angle    any               `json:"angle"`
	Points   []json.RawMessage `json:"points"`
	Title    string            `json:"title"`
	Type     string            `json:"type"`
	Elements []json.RawMessage `json:"elements"`
}

// The bounds of a description. maxChartJSON is what is decoded of a chart.
const (
	maxChartJSON = 4 << 20
	maxMarks     = 12
	maxLabel     = 60
)

// chartOf returns the chart in r when its JSON describes one.
func chartOf(r cellwall.Rich) (chart, bool) {
	raw := r.Data["application/json"]
	if len(raw) == 0 || len(raw) > maxChartJSON || imageType(r) == "" {
		return chart{}, false
	}
	var c chart
	if json.Unmarshal(raw, &c) != nil || c.Type == "" {
		return chart{}, false
	}
	return c, true
}

var (
	chartWords   = phrase{"{type} chart", "图表（{type}）"}
	chartTitle   = phrase{", title \"{title}\"", "，标题“{title}”"}
	chartAxes    = phrase{", x: {x}, y: {y}", "，x 轴：{x}，y 轴：{y}"}
	chartImage   = phrase{" (image, {image})", "（图片 image，{image}）"}
	chartMarks   = phrase{": {marks}", "：{marks}"}
	chartPoints  = phrase{"{label} ({count} points)", "{label}（{count} 个点）"}
	chartPanel   = phrase{"{type} \"{title}\" ({count} elements)", "{type}“{title}”（{count} 个元素）"}
	chartMore    = phrase{"and {count} more", "另有 {count} 个"}
	chartNoLabel = "–"
)

// describe tells a chart in one sentence.
func (o *observer) describe(c chart, image string) string {
	var b strings.Builder
	b.WriteString(o.say(chartWords, "type", cutEnd(c.Type, maxLabel)))
	if image != "" {
		b.WriteString(o.say(chartImage, "image", image))
	}
	if c.Title != "" {
		b.WriteString(o.say(chartTitle, "title", c.Title))
	}
	if c.XLabel != "" || c.YLabel != "" {
		b.WriteString(o.say(chartAxes, "x", labelled(c.XLabel), "y", labelled(c.YLabel)))
	}
	var marks []string
	for _, raw := range c.Elements[:min(len(c.Elements), maxMarks)] {
		marks = append(marks, o.mark(raw))
	}
	if more := len(c.Elements) - maxMarks; more > 0 {
		marks = append(marks, o.say(chartMore, "count", grouped(int64(more))))
	}
	if len(marks) > 0 {
		separator := ", "
		if o.zh {
			separator = "，"
		}
		// Each mark is bounded; the sentence as a whole is bounded by its user.
		b.WriteString(strings.Replace(o.say(chartMarks), "{marks}", strings.Join(marks, separator), 1))
	}
	return b.String()
}

func (o *observer) mark(raw json.RawMessage) string {
	var m mark
	if json.Unmarshal(raw, &m) != nil {
		return "?"
	}
	label := scalar(m.Label)
	if group := scalar(m.Group); group != "" && group != label {
		label = strings.TrimSpace(label + " [" + group + "]")
	}
	switch {
	case m.Points != nil:
		return o.say(chartPoints, "label", labelled(label), "count", grouped(int64(len(m.Points))))
	case m.Elements != nil:
		return o.say(chartPanel, "type", labelled(m.Type), "title", m.Title, "count", grouped(int64(len(m.Elements))))
	case m.Value != nil:
		return labelled(label) + " = " + scalar(m.Value)
	case m.Angle != nil:
		return labelled(label) + " = " + scalar(m.Angle) + "°"
	}
	return labelled(label)
}

// scalar writes a value of a chart, bounded.
func scalar(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return cutEnd(oneLine(v), maxLabel)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return cutEnd(string(b), maxLabel)
}

func labelled(s string) string {
	if s == "" {
		return chartNoLabel
	}
	return cutEnd(oneLine(s), maxLabel)
}

package observe

import (
	"encoding/json"
	"strings"

	"github.com/cellwall/cellwall"
)

// chart is what the driver says about a figure; unknown fields are passed
// over.
type chart struct {
	Title string  `json:"title"`
	Axes  []panel `json:"axes"`
}

// panel is one pair of axes.
type panel struct {
	Title  string   `json:"title"`
	XLabel string   `json:"x_label"`
	YLabel string   `json:"y_label"`
	Series []series `json:"series"`
}

// series is what is drawn on a panel: x and y hold its first points.
type series struct {
	Kind   string `json:"kind"`
	Label  string `json:"label"`
	X      []any  `json:"x"`
	Y      []any  `json:"y"`
	Points int64  `json:"points"`
}

// The bounds of a description. maxChartJSON is what is decoded of a chart.
const (
	maxChartJSON = 4 << 20
	maxPanels    = 4
	maxSeries    = 8
	maxPoints    = 6 // told of one series
	maxLabel     = 60
)

// chartOf returns the chart in r when its JSON describes one.
func chartOf(r cellwall.Rich) (chart, bool) {
	raw := r.Data["application/json"]
	if len(raw) == 0 || len(raw) > maxChartJSON || imageType(r) == "" {
		return chart{}, false
	}
	var data struct {
		Chart *chart `json:"chart"`
	}
	if json.Unmarshal(raw, &data) != nil || data.Chart == nil {
		return chart{}, false
	}
	return *data.Chart, true
}

var (
	chartWords  = phrase{"chart (image, {image})", "图表（图片 image，{image}）"}
	chartTitle  = phrase{", title \"{title}\"", "，标题“{title}”"}
	chartAxes   = phrase{", x: {x}, y: {y}", "，x 轴：{x}，y 轴：{y}"}
	chartSeries = phrase{"\n{kind} {label}: {count} points: {points}", "\n{kind} {label}：{count} 个点：{points}"}
	chartMore   = phrase{"\nand {count} more", "\n另有 {count} 个"}
)

// describe tells a chart: what is written on it and the first points of what
// is drawn.
func (o *observer) describe(c chart, image string) string {
	var b strings.Builder
	b.WriteString(o.say(chartWords, "image", image))
	if c.Title != "" {
		b.WriteString(o.say(chartTitle, "title", labelled(c.Title)))
	}
	for _, p := range c.Axes[:min(len(c.Axes), maxPanels)] {
		o.panel(&b, p)
	}
	if more := len(c.Axes) - maxPanels; more > 0 {
		b.WriteString(o.say(chartMore, "count", grouped(int64(more))))
	}
	return b.String()
}

func (o *observer) panel(b *strings.Builder, p panel) {
	if p.Title != "" {
		b.WriteString(o.say(chartTitle, "title", labelled(p.Title)))
	}
	if p.XLabel != "" || p.YLabel != "" {
		b.WriteString(o.say(chartAxes, "x", labelled(p.XLabel), "y", labelled(p.YLabel)))
	}
	for _, s := range p.Series[:min(len(p.Series), maxSeries)] {
		b.WriteString(o.say(chartSeries, "kind", labelled(s.Kind), "label", labelled(s.Label),
			"count", grouped(s.Points), "points", points(s)))
	}
	if more := len(p.Series) - maxSeries; more > 0 {
		b.WriteString(o.say(chartMore, "count", grouped(int64(more))))
	}
}

// points writes the first points of a series: North = 12, South = 9, …
func points(s series) string {
	n := min(len(s.X), len(s.Y))
	parts := make([]string, 0, maxPoints+1)
	for i := range min(n, maxPoints) {
		parts = append(parts, scalar(s.X[i])+" = "+scalar(s.Y[i]))
	}
	if s.Points > int64(len(parts)) {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
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
		return "–"
	}
	return cutEnd(oneLine(s), maxLabel)
}

package observe

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// maxDescribed bounds how many displayed values are described.
const maxDescribed = 8

// resultExcerpt tells the main result, then what else was displayed: charts by
// what is on them, pictures by their type, text by its beginning.
func (o *observer) resultExcerpt() string {
	results := slices.Clone(o.in.Result.Results)
	slices.SortStableFunc(results, func(a, b cellwall.Rich) int { return rank(a) - rank(b) })
	var parts []string
	for _, r := range results[:min(len(results), maxDescribed)] {
		if s := o.displayed(r); s != "" {
			parts = append(parts, s)
		}
	}
	if more := len(results) - maxDescribed; more > 0 {
		parts = append(parts, o.say(displayedMore, "count", grouped(int64(more))))
	}
	return o.cutResult(strings.Join(parts, "\n"))
}

// cutResult bounds the excerpt, head and tail.
func (o *observer) cutResult(s string) string { return cutMiddle(s, maxResult) }

func rank(r cellwall.Rich) int {
	if r.IsMainResult {
		return 0
	}
	return 1
}

var displayedMore = phrase{"and {count} more displayed values", "另有 {count} 个显示结果"}

// displayed describes one value: a chart, else a picture, else its text.
func (o *observer) displayed(r cellwall.Rich) string {
	image := imageType(r)
	if c, ok := chartOf(r); ok {
		return o.mask(o.describe(c, image))
	}
	if image != "" {
		return o.say(picture, "type", image)
	}
	for _, media := range []string{"text/plain", "text/markdown", "application/json", "text/html"} {
		if s := text(r.Data[media]); s != "" {
			return cutMiddle(o.mask(visibleLines(s)), maxResult)
		}
	}
	return ""
}

var picture = phrase{"image ({type})", "图片（image，{type}）"}

// imageType returns the type of the picture in r, "" when it has none.
func imageType(r cellwall.Rich) string {
	for _, media := range []string{"image/png", "image/svg+xml", "image/jpeg", "image/gif", "image/webp", "application/pdf"} {
		if len(r.Data[media]) > 0 {
			return media
		}
	}
	return ""
}

// text decodes a JSON string; other JSON stays as it is written.
func text(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

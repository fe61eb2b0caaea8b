package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// Difference is one thing that two runs of a cell did differently. Both sides
// are a stranger's text.
type Difference struct {
	What     string `json:"what"` // status, stdout, stderr, error, result N, figure N, artifact NAME
	Recorded string `json:"recorded"`
	Now      string `json:"now"`
}

// Compare returns what the cell did differently now than as it is recorded.
// Addresses of objects, which no two runs share, count as equal.
func (c *Cell) Compare(now []Output, result *cellwall.Result) []Difference {
	then := facts(c.Outputs)
	if r, ok := c.Receipt(); ok {
		then["status"] = string(r.Status)
		for _, f := range r.Artifacts {
			then["artifact "+f.Name] = f.SHA256
		}
	}
	today := facts(now)
	if _, ok := then["status"]; ok {
		today["status"] = string(result.Status)
		for _, a := range result.Artifacts {
			today["artifact "+a.Name] = a.SHA256
		}
	}
	var found []Difference
	keys := slices.Sorted(maps.Keys(then))
	for what := range today {
		if _, ok := then[what]; !ok {
			keys = append(keys, what)
		}
	}
	slices.Sort(keys)
	for _, what := range keys {
		if then[what] != today[what] {
			found = append(found, Difference{What: what, Recorded: then[what], Now: today[what]})
		}
	}
	return found
}

// Interrupted reports whether somebody interrupted the cell when it was recorded.
func (c *Cell) Interrupted() bool {
	if r, ok := c.Receipt(); ok && r.Status == cellwall.StatusCancelled {
		return true
	}
	return slices.ContainsFunc(c.Outputs, func(o Output) bool { return o.Type == Failure && o.ErrorName == "KeyboardInterrupt" })
}

// facts are what can be compared of a cell's outputs.
func facts(outputs []Output) map[string]string {
	all := map[string]string{}
	results, figures := 0, 0
	for _, o := range outputs {
		switch o.Type {
		case Stream:
			all[o.Name] += steady(o.Text)
		case Failure:
			all["error"] = steady(o.ErrorName + ": " + o.ErrorValue)
		case Result, Display:
			if image, ok := o.Data["image/png"]; ok {
				figures++
				all[fmt.Sprintf("figure %d", figures)] = sum(image)
				continue
			}
			results++
			all[fmt.Sprintf("result %d", results)] = told(o.Data)
		}
	}
	return all
}

// told is the text of a value, or the hash of all its forms when it has none.
func told(data map[string]json.RawMessage) string {
	var text string
	if json.Unmarshal(data["text/plain"], &text) == nil {
		return steady(text)
	}
	var all strings.Builder
	for _, mime := range slices.Sorted(maps.Keys(data)) {
		all.WriteString(mime + " " + sum(data[mime]) + "\n")
	}
	return all.String()
}

// sum is a hash of a value of JSON; a string counts without what its notation
// adds, so that a line end behind base64 changes nothing.
func sum(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = []byte(strings.TrimSpace(text))
	}
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

var address = regexp.MustCompile(`\b0x[0-9a-f]{6,16}\b`)

// steady takes out what differs between any two runs.
func steady(text string) string { return address.ReplaceAllString(text, "0x…") }

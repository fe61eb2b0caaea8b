package backendtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/color"
	"image/png"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// resultsExpect asserts displayed values.
type resultsExpect struct {
	Min             int            `json:"min"`
	Main            bool           `json:"main"`
	None            bool           `json:"none"`
	MIMECount       map[string]int `json:"mime_count"`
	TextContains    []string       `json:"text_contains"`
	TextMaxBytes    int            `json:"text_max_bytes"`
	JSONContainsAny []string       `json:"json_contains_any"`
}

func (e resultsExpect) judge(v *verdict, r *cellwall.Result) {
	v.demand(len(r.Results) >= e.Min, "%d results, want at least %d", len(r.Results), e.Min)
	v.demand(!e.None || len(r.Results) == 0, "%d results, want none", len(r.Results))
	v.demand(!e.Main || slices.ContainsFunc(r.Results, func(x cellwall.Rich) bool { return x.IsMainResult }), "no main result")
	count := make(map[string]int)
	var text, data strings.Builder
	for _, x := range r.Results {
		for kind, content := range x.Data {
			count[kind]++
			var s string
			switch {
			case kind == "application/json":
				data.Write(content)
			case strings.HasPrefix(kind, "text/") && json.Unmarshal(content, &s) == nil:
				text.WriteString(s + "\n")
				v.demand(e.TextMaxBytes == 0 || kind != "text/plain" || len(s) <= e.TextMaxBytes,
					"%s has %d bytes, want at most %d", kind, len(s), e.TextMaxBytes)
			}
		}
	}
	for kind, n := range e.MIMECount {
		v.demand(count[kind] == n, "%d results of type %s, want %d", count[kind], kind, n)
	}
	for _, want := range e.TextContains {
		v.demand(strings.Contains(text.String(), want), "no result's text holds %q: %q", want, clip(text.String()))
	}
	if len(e.JSONContainsAny) > 0 {
		v.demand(anyOf(strings.ToLower(data.String()), e.JSONContainsAny), "no result's JSON holds one of %q: %s", e.JSONContainsAny, clip(data.String()))
	}
}

// pngExpect asserts every picture.
type pngExpect struct {
	MinWidth int  `json:"min_width"`
	NotBlank bool `json:"not_blank"`
}

func (e pngExpect) judge(v *verdict, r *cellwall.Result) {
	seen := 0
	for _, x := range r.Results {
		content, ok := x.Data["image/png"]
		if !ok {
			continue
		}
		seen++
		var text string
		v.demand(json.Unmarshal(content, &text) == nil, "a picture is no text")
		raw, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
		v.demand(err == nil, "a picture is no base64: %v", err)
		picture, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			v.demand(false, "a picture is no PNG: %v", err)
			continue
		}
		size := picture.Bounds()
		v.demand(size.Dx() >= e.MinWidth, "a picture is %d wide, want at least %d", size.Dx(), e.MinWidth)
		colours := make(map[color.Color]bool)
		for y := size.Min.Y; y < size.Max.Y; y += 3 {
			for x := size.Min.X; x < size.Max.X; x += 3 {
				colours[picture.At(x, y)] = true
			}
		}
		v.demand(!e.NotBlank || len(colours) > 2, "a picture is blank: %d colours", len(colours))
	}
	v.demand(seen > 0, "there is no picture")
}

// artifactExpect asserts one artifact.
type artifactExpect struct {
	Name              string `json:"name"`
	MediaTypeContains string `json:"media_type_contains"`
	MinBytes          int64  `json:"min_bytes"`
}

func (e artifactExpect) judge(v *verdict, r *cellwall.Result) {
	i := slices.IndexFunc(r.Artifacts, func(a cellwall.Artifact) bool { return a.Name == e.Name })
	if i < 0 {
		v.demand(false, "no artifact %q among %v, skipped %v", e.Name, r.Artifacts, r.SkippedArtifacts)
		return
	}
	a := r.Artifacts[i]
	v.demand(strings.Contains(a.MediaType, e.MediaTypeContains), "artifact %q is %q", a.Name, a.MediaType)
	v.demand(a.Bytes >= e.MinBytes, "artifact %q has %d bytes, want at least %d", a.Name, a.Bytes, e.MinBytes)
}

// observationExpect asserts what the model is told.
type observationExpect struct {
	Has      []string            `json:"has"`
	Contains map[string][]string `json:"contains"`
	Lacks    []string            `json:"lacks"`
	AnyText  []string            `json:"any_text"`
	MaxChars map[string]int      `json:"max_chars"`
	MaxCount map[string]struct {
		Substring string `json:"substring"`
		Times     int    `json:"times"`
	} `json:"max_count"`
}

func (e observationExpect) judge(v *verdict, observed []byte) {
	var fields map[string]any
	if err := json.Unmarshal(observed, &fields); err != nil {
		v.demand(false, "the observation is no JSON object: %v", err)
		return
	}
	all, _ := json.Marshal(fields) // what was just decoded
	for _, name := range e.Has {
		v.demand(filled(fields[name]), "the observation has no %s: %s", name, clip(string(all)))
	}
	for name, wants := range e.Contains {
		for _, want := range wants {
			v.demand(holds(fields[name], want), "%s of the observation lacks %q: %v", name, want, fields[name])
		}
	}
	for _, name := range e.Lacks {
		v.demand(!filled(fields[name]), "the observation has %s: %v", name, fields[name])
	}
	if len(e.AnyText) > 0 {
		v.demand(anyOf(strings.ToLower(words(fields)), e.AnyText), "the observation holds none of %q: %s", e.AnyText, clip(string(all)))
	}
	for name, most := range e.MaxChars {
		text, _ := fields[name].(string)
		v.demand(len([]rune(text)) <= most, "%s of the observation has %d characters, want at most %d", name, len([]rune(text)), most)
	}
	for name, most := range e.MaxCount {
		text, _ := fields[name].(string)
		n := strings.Count(text, most.Substring)
		v.demand(n <= most.Times, "%s of the observation holds %q %d times, want at most %d", name, most.Substring, n, most.Times)
	}
}

func filled(value any) bool {
	switch x := value.(type) {
	case nil:
		return false
	case string:
		return x != ""
	case []any:
		return len(x) > 0
	case map[string]any:
		return len(x) > 0
	}
	return true
}

// holds reports whether a list has the element, or a text the part.
func holds(value any, want string) bool {
	switch x := value.(type) {
	case string:
		return strings.Contains(x, want)
	case []any:
		return slices.ContainsFunc(x, func(e any) bool { return e == want })
	case map[string]any:
		_, ok := x[want]
		return ok
	}
	return false
}

// words is every key and text of the observation.
func words(value any) string {
	switch x := value.(type) {
	case string:
		return x + "\n"
	case []any:
		var b strings.Builder
		for _, e := range x {
			b.WriteString(words(e))
		}
		return b.String()
	case map[string]any:
		var b strings.Builder
		for k, e := range x {
			b.WriteString(k + "\n" + words(e))
		}
		return b.String()
	}
	return ""
}

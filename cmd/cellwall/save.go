package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cellwall/cellwall"
)

// pictures are the displayed values that can be saved as files.
var pictures = map[string]string{"image/png": "png", "image/jpeg": "jpg"}

// save copies artifacts and displayed figures to --out, notes where they went,
// and returns the paths of the figures.
func (v *runVerb) save(ctx context.Context, h *house, r *cellwall.Result) (figures []string, err error) {
	if v.Out == "" {
		return nil, nil
	}
	for i := range r.Artifacts {
		a := &r.Artifacts[i]
		if a.SavedTo, err = h.artifacts.CopyTo(ctx, v.Out, *a); err != nil {
			return nil, err
		}
	}
	figures, _, err = saveFigures(ctx, h, v.Out, r, 0)
	return figures, err
}

// saveFigures saves the figures of a result under the numbers behind n that no
// artifact of it has as a name, and returns their paths and the last number.
func saveFigures(ctx context.Context, h *house, dir string, r *cellwall.Result, n int) (paths []string, last int, err error) {
	for _, rich := range r.Results {
		for mime, ending := range pictures {
			content, ok := picture(rich, mime)
			if !ok {
				continue
			}
			name := ""
			for name == "" || slices.ContainsFunc(r.Artifacts, func(a cellwall.Artifact) bool { return a.Name == name }) {
				n++
				name = fmt.Sprintf("figure_%d.%s", n, ending)
			}
			path, err := saveFigure(ctx, h, dir, name, content)
			if err != nil {
				return paths, n, err
			}
			paths = append(paths, path)
		}
	}
	return paths, n, nil
}

func saveFigure(ctx context.Context, h *house, dir, name string, content []byte) (string, error) {
	stored, err := h.artifacts.Put(ctx, bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	return h.artifacts.CopyTo(ctx, dir, cellwall.Artifact{Name: name, Bytes: stored.Bytes, SHA256: stored.SHA256})
}

// picture decodes the picture of a displayed value. The content is the code's
// own: it is not looked at.
func picture(r cellwall.Rich, mime string) ([]byte, bool) {
	var text string
	if raw, ok := r.Data[mime]; !ok || json.Unmarshal(raw, &text) != nil {
		return nil, false
	}
	content, err := base64.StdEncoding.DecodeString(text)
	return content, err == nil && len(content) > 0
}

// countPictures tells how many displayed figures a result has.
func countPictures(r *cellwall.Result) (n int) {
	for _, rich := range r.Results {
		for mime := range pictures {
			if _, ok := rich.Data[mime]; ok {
				n++
			}
		}
	}
	return n
}

package main

import (
	"bytes"
	"context"

	"github.com/cellwall/cellwall"
)

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

// saveFigures saves the figures of a result, numbered on from n, and returns their paths
// and the last number.
func saveFigures(ctx context.Context, h *house, dir string, r *cellwall.Result, n int) (paths []string, last int, err error) {
	shown, last := figuresOf(r, n)
	for _, f := range shown {
		path, err := saveFigure(ctx, h, dir, f.name, f.content)
		if err != nil {
			return paths, last, err
		}
		paths = append(paths, path)
	}
	return paths, last, nil
}

func saveFigure(ctx context.Context, h *house, dir, name string, content []byte) (string, error) {
	stored, err := h.artifacts.Put(ctx, bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	return h.artifacts.CopyTo(ctx, dir, cellwall.Artifact{Name: name, Bytes: stored.Bytes, SHA256: stored.SHA256})
}

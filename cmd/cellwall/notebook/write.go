package notebook

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
)

// Write writes the document as nbformat 4.5, or as the newer minor version that
// it was read in.
func (n *Notebook) Write(w io.Writer) error {
	cells := make([]any, len(n.Cells))
	for i, c := range n.Cells {
		cells[i] = c.document()
	}
	document := with(n.rest, map[string]any{
		"nbformat": 4, "nbformat_minor": max(n.minor, minor), "metadata": notNil(n.metadata), "cells": cells,
	})
	sorted, err := plainValue(document)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(sorted)
}

// plainValue is a document as maps and lists, which are written with their keys
// in order, wherever a part of it came from.
func plainValue(document any) (plain any, err error) {
	raw, err := marshal(document)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // a number stays as it was written
	err = dec.Decode(&plain)
	return plain, err
}

// document is the cell as the format wants it.
func (c *Cell) document() map[string]any {
	known := map[string]any{"cell_type": c.Kind, "id": c.ID, "metadata": notNil(c.metadata), "source": text(c.Source)}
	if c.Kind == Code {
		known["execution_count"] = nullable(c.Count)
		outputs := c.Outputs
		if outputs == nil {
			outputs = []Output{}
		}
		known["outputs"] = outputs
	}
	return with(c.rest, known)
}

// with adds what is known to what is kept.
func with(kept fields, known map[string]any) map[string]any {
	all := make(map[string]any, len(kept)+len(known))
	for key, value := range kept {
		all[key] = value
	}
	maps.Copy(all, known)
	return all
}

func notNil(f fields) fields {
	if f == nil {
		return fields{}
	}
	return f
}

// nullable is an execution count.
func nullable(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// marshal is json.Marshal without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func newID() string { return strings.ToLower(rand.Text()[:12]) }

// WriteScript writes the code as a Python program: a cell begins at a line
// "# %%", as editors know it, and what is no code is a comment.
func (n *Notebook) WriteScript(w io.Writer) error {
	var b strings.Builder
	for i, c := range n.Cells {
		if i > 0 {
			b.WriteString("\n")
		}
		source := strings.TrimRight(c.Source, "\n")
		if c.Kind != Code {
			fmt.Fprintf(&b, "# %%%% [%s]\n# %s\n", c.Kind, strings.ReplaceAll(source, "\n", "\n# "))
			continue
		}
		fmt.Fprintf(&b, "# %%%%\n%s\n", source)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

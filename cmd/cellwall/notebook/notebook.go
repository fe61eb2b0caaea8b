package notebook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// MaxBytes is how long a document may be.
const MaxBytes = 256 << 20

// The kinds of cells.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// fields is a JSON object of which only some keys are understood.
type fields map[string]json.RawMessage

// Notebook is a document.
type Notebook struct {
	Cells []*Cell

	minor    int
	metadata fields
	rest     fields
}

// Cell is one cell of a document.
type Cell struct {
	Kind    string
	ID      string
	Source  string
	Count   int      // n of In[n]; 0 = not run. Of code only
	Outputs []Output // of code only

	metadata fields
	rest     fields
}

// minor is the version of the format that is written, 4.minor.
const minor = 5

// New returns an empty document of Python.
func New() *Notebook {
	return &Notebook{minor: minor, metadata: fields{
		"kernelspec":    json.RawMessage(`{"display_name":"Python 3","language":"python","name":"python3"}`),
		"language_info": json.RawMessage(`{"file_extension":".py","mimetype":"text/x-python","name":"python"}`),
	}}
}

// Add appends a cell.
func (n *Notebook) Add(kind, source string) *Cell {
	c := &Cell{Kind: kind, ID: newID(), Source: source, metadata: fields{}}
	n.Cells = append(n.Cells, c)
	return c
}

// Language is the language of the document's code as its metadata say, in lower
// case; "" when they do not.
func (n *Notebook) Language() string {
	var info struct {
		Name string `json:"name"`
	}
	var kernel struct {
		Language string `json:"language"`
	}
	if json.Unmarshal(n.metadata["language_info"], &info) == nil && info.Name != "" {
		return strings.ToLower(info.Name)
	}
	if json.Unmarshal(n.metadata["kernelspec"], &kernel) != nil {
		return ""
	}
	return strings.ToLower(kernel.Language)
}

// Tagged reports whether the cell has a tag.
func (c *Cell) Tagged(tag string) bool {
	var tags []string
	if json.Unmarshal(c.metadata["tags"], &tags) != nil {
		return false
	}
	for _, t := range tags {
		if t == tag {
			return true
		}
	}
	return false
}

// Read reads a document.
func Read(r io.Reader) (*Notebook, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > MaxBytes:
		return nil, fmt.Errorf("it is longer than %d bytes", MaxBytes)
	}
	n := &Notebook{}
	if err := json.Unmarshal(raw, &n.rest); err != nil {
		return nil, fmt.Errorf("it is no notebook: %w", err)
	}
	var major int
	var cells []fields
	for key, into := range map[string]any{"nbformat": &major, "nbformat_minor": &n.minor, "metadata": &n.metadata, "cells": &cells} {
		if given, ok := n.rest[key]; ok {
			if err := json.Unmarshal(given, into); err != nil {
				return nil, fmt.Errorf("its %s is damaged: %w", key, err)
			}
		}
		delete(n.rest, key)
	}
	if major != 4 {
		return nil, fmt.Errorf("its format is %d, only 4 is read", major)
	}
	ids := map[string]bool{}
	for i, f := range cells {
		c, err := readCell(f)
		if err != nil {
			return nil, fmt.Errorf("cell %d: %w", i+1, err)
		}
		if !cellID.MatchString(c.ID) || ids[c.ID] {
			c.ID = newID()
		}
		ids[c.ID] = true
		n.Cells = append(n.Cells, c)
	}
	return n, nil
}

// cellID is what the format allows.
var cellID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func readCell(f fields) (*Cell, error) {
	c := &Cell{rest: f}
	var count *int
	var source text
	for key, into := range map[string]any{
		"cell_type": &c.Kind, "id": &c.ID, "source": &source, "metadata": &c.metadata, "execution_count": &count, "outputs": &c.Outputs,
	} {
		if given, ok := f[key]; ok {
			if err := json.Unmarshal(given, into); err != nil {
				return nil, fmt.Errorf("its %s is damaged: %w", key, err)
			}
		}
		delete(f, key)
	}
	switch c.Kind {
	case Code, Markdown, Raw:
	default:
		return nil, fmt.Errorf("%.40q is no kind of cell", c.Kind)
	}
	if count != nil {
		c.Count = *count
	}
	c.Source = string(source)
	return c, nil
}

// text is a string that may be written as a list of its lines.
type text string

// UnmarshalJSON reads both forms.
func (t *text) UnmarshalJSON(raw []byte) error {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		*t = text(whole)
		return nil
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		return errors.New("it is neither a text nor a list of lines")
	}
	*t = text(strings.Join(lines, ""))
	return nil
}

// MarshalJSON writes a list of lines, which tools compare line by line.
func (t text) MarshalJSON() ([]byte, error) {
	return marshal(lines(string(t)))
}

// lines splits a text behind each newline.
func lines(s string) []string {
	list := strings.SplitAfter(s, "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
)

// save writes the cells that the live state grew from: what died or was undone
// left nothing in it.
func (s *shell) save(_ context.Context, path string) error {
	if path == "" {
		return usage("save session", errors.New("there is no name"), ":save NAME.ipynb or :save NAME.py")
	}
	n := notebook.New()
	if err := n.Sign(s.session.receipt()); err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	for _, e := range s.session.History() {
		if !e.Live {
			continue
		}
		c := n.Add(notebook.Code, e.Code)
		c.Count, c.Outputs = e.Number, s.seen[e.Number]
		if e.Result == nil {
			continue
		}
		if err := c.Sign(e.Result); err != nil {
			return fmt.Errorf("save session: %w", err)
		}
	}
	var content bytes.Buffer
	write := n.Write
	switch filepath.Ext(path) {
	case ".ipynb":
	case ".py":
		write = n.WriteScript
	default:
		return usage("save session to "+path, errors.New("it is neither .ipynb nor .py"), "a notebook keeps outputs and can be replayed, a script has the code")
	}
	if err := write(&content); err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	if err := replaceFile(path, content.Bytes()); err != nil {
		return err
	}
	s.p.stderr.say(green, "saved: ", fmt.Sprintf("%s, %d cells", path, len(n.Cells)))
	return nil
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
)

// save saves the session to a file that is not there yet, or that it saved
// itself.
func (s *shell) save(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err == nil && !s.saved[path] {
		return usage("save session to "+path, errors.New("a file is there already"), "choose another name, or :save! "+path)
	}
	return s.saveOver(ctx, path)
}

// saveOver writes the cells that the live state grew from: what died or was
// undone left nothing in it.
func (s *shell) saveOver(_ context.Context, path string) error {
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
	s.saved[path] = true
	s.p.stderr.say(green, "saved: ", fmt.Sprintf("%s, %d cells", path, len(n.Cells)))
	return nil
}

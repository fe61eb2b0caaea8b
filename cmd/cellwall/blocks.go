package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cellwall/cellwall/policy"
)

// blocksFile has the blocks of a state directory: code that stays refused after
// a lockdown, until a hand takes its line out.
func (c *config) blocksFile() string { return c.inState("blocks.json") }

// readBlocks puts exactly the blocks of the file in force. A file that cannot be
// read is an error: what it refuses must not run.
func (c *config) readBlocks(into *policy.Blocks) error {
	raw, err := os.ReadFile(c.blocksFile())
	if errors.Is(err, fs.ErrNotExist) {
		return into.Replace(nil)
	}
	var list []policy.Block
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err == nil {
		err = into.Replace(list)
	}
	if err != nil {
		return fmt.Errorf("read blocks of %s: %w", c.blocksFile(), err)
	}
	return nil
}

// block adds the pattern of a lockdown to the file.
func (c *config) block(l *lockdown) error {
	if l.Pattern == "" {
		return nil
	}
	blocks := &policy.Blocks{}
	if err := c.readBlocks(blocks); err != nil {
		return err
	}
	if _, err := blocks.Add(policy.Block{Pattern: l.Pattern, Reason: l.Why, By: l.By, At: l.At}); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(blocks.List(), "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(c.blocksFile(), append(raw, '\n'))
}

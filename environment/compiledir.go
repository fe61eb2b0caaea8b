package environment

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cellwall/cellwall"
)

// CompileDir writes bytecode beside every Python source below dir, made by e's
// own interpreter and never checked against its source. It is for what is
// mounted into a sandbox without being part of the image: the driver.
func CompileDir(ctx context.Context, e cellwall.Environment, dir string) error {
	scratch, err := os.MkdirTemp("", "cellwall-compile-")
	if err != nil {
		return fmt.Errorf("compile %s: %w", dir, err)
	}
	defer os.RemoveAll(scratch)
	var files []string
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".py") {
			name, relErr := filepath.Rel(dir, path)
			files = append(files, name)
			return relErr
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("compile %s: %w", dir, err)
	}
	list, err := json.Marshal(files)
	if err != nil {
		return fmt.Errorf("compile %s: %w", dir, err)
	}
	listing := filepath.Join(scratch, "files.json")
	if err := os.WriteFile(listing, list, 0o644); err != nil {
		return fmt.Errorf("compile %s: %w", dir, err)
	}
	python := strings.TrimPrefix(filepath.Base(e.Interpreter), "python")
	return runScript(ctx, rootPython{root: e.Root, python: python}, "", scratch, "compile.py", dir, listing)
}

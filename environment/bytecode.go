package environment

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cellwall/cellwall"
)

// scripts run in a root's own interpreter while it is built.
//
//go:embed script/*.py script/matplotlibrc
var scripts embed.FS

// warmSpec is what script/warm.py is told.
type warmSpec struct {
	Root     string   `json:"root"`
	Scratch  string   `json:"scratch"`
	WarmUp   []string `json:"warm_up"`
	Bytecode []string `json:"bytecode"`
	OnDemand string   `json:"on_demand"`
	Listing  string   `json:"listing"`
}

// compileBytecode imports what the declaration names and compiles the sources
// that this took. A module that cannot be imported fails the build, so this is
// the proof that the root works and that pruning took nothing needed.
func compileBytecode(ctx context.Context, d Declaration, root, scratch string) error {
	p := rootPython{root: root, python: d.Python}
	listing := filepath.Join(scratch, "modules.json")
	spec, err := json.Marshal(warmSpec{
		Root: root, Scratch: scratch, WarmUp: d.WarmUp, Bytecode: d.Bytecode,
		OnDemand: filepath.Join(root, OnDemandDir), Listing: listing,
	})
	if err != nil {
		return fmt.Errorf("describe warm-up: %w", err)
	}
	specFile := filepath.Join(scratch, "warm.json")
	if err := os.WriteFile(specFile, spec, 0o644); err != nil {
		return fmt.Errorf("describe warm-up: %w", err)
	}
	site := filepath.Join(root, SiteDir)
	if err := runScript(ctx, p, site, scratch, "warm.py", specFile); err != nil {
		return err
	}
	return runScript(ctx, p, "", scratch, "compile.py", root, listing)
}

// installFonts writes matplotlib's configuration and its font cache.
func installFonts(ctx context.Context, d Declaration, root, scratch string, to *placer) error {
	p := rootPython{root: root, python: d.Python}
	rc, err := scripts.Open("script/matplotlibrc")
	if err != nil {
		return fmt.Errorf("read matplotlibrc: %w", err)
	}
	defer rc.Close()
	if err := to.file(MatplotlibDir[1:]+"/matplotlibrc", false, rc); err != nil {
		return err
	}
	return runScript(ctx, p, filepath.Join(root, SiteDir), scratch, "fonts.py", root, filepath.Join(root, MatplotlibDir), scratch)
}

func runScript(ctx context.Context, p rootPython, path, scratch, name string, args ...string) error {
	text, err := scripts.ReadFile("script/" + name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	file := filepath.Join(scratch, name)
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	err = p.command(path, nil, append([]string{file}, args...)...).run(ctx)
	if err != nil && ctx.Err() == nil {
		return &cellwall.Error{
			Code: cellwall.CodeInternal, Op: "run " + name + " in the new root", Err: err,
			Hint: "a module cannot be imported: a package is missing, or a prune pattern takes too much",
		}
	}
	return err
}

package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// build is one build under way. Its steps fill root from top to bottom.
type build struct {
	decl  Declaration
	opts  Options
	cache cache

	work    string // root, scratch and the manifest; renamed as a whole
	root    string
	scratch string

	debs     []Deb // what was really used
	drift    []string
	manifest Manifest
	packed   int64
}

func (b *build) run(ctx context.Context) error {
	skip, err := parseGlobs(b.decl.Prune)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(b.root)
	if err != nil {
		return fmt.Errorf("open new root: %w", err)
	}
	defer root.Close()
	to := newPlacer(root, skip)
	for _, step := range []func(context.Context, *placer) error{
		b.fetchDebs, b.unpackDebs, b.fetchWheels, b.installWheels, b.finish, b.seal, b.measure,
	} {
		if err := step(ctx, to); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) unpackDebs(ctx context.Context, to *placer) error {
	bare := newPlacer(to.root, nil)
	if err := mergeUsr(bare); err != nil {
		return err
	}
	for i, d := range b.debs {
		b.opts.Progress.report(StepUnpack, d.Name, int64(i), int64(len(b.debs)))
		if d.Name == pipDeb {
			continue
		}
		if err := unpackDeb(ctx, b.cache.path(d.SHA256), to); err != nil {
			return fmt.Errorf("unpack %s: %w", d.Name, err)
		}
	}
	b.opts.Progress.report(StepUnpack, "", int64(len(b.debs)), int64(len(b.debs)))
	return furnish(bare, b.decl.Python)
}

// unpackPip places the build's own tool outside of the root.
func (b *build) unpackPip(ctx context.Context) (string, error) {
	dir := filepath.Join(b.scratch, "pip")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make tool directory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fmt.Errorf("open tool directory: %w", err)
	}
	defer root.Close()
	for _, d := range b.debs {
		if d.Name == pipDeb {
			return dir, unpackDeb(ctx, b.cache.path(d.SHA256), newPlacer(root, nil))
		}
	}
	return "", fmt.Errorf("%s does not hold %s", debLockFile, pipDeb)
}

func (b *build) installWheels(ctx context.Context, to *placer) error {
	site, aside := to.at(SiteDir[1:]), to.at(OnDemandDir[1:])
	total := int64(len(b.decl.PythonLock))
	for i, r := range b.decl.PythonLock {
		b.opts.Progress.report(StepInstall, r.Name, int64(i), total)
		where := site
		if b.onDemand(r.Name) {
			where = aside
		}
		if err := installWheel(ctx, b.cache.path(r.SHA256), where); err != nil {
			return fmt.Errorf("install %s: %w", r.Name, err)
		}
	}
	b.opts.Progress.report(StepInstall, "", total, total)
	return nil
}

func (b *build) onDemand(name string) bool {
	for _, n := range b.decl.OnDemand {
		if normalName(n) == name {
			return true
		}
	}
	return false
}

func (b *build) locks(name string) bool {
	for _, r := range b.decl.PythonLock {
		if r.Name == name {
			return true
		}
	}
	return false
}

// finish proves that the root works and adds what only it can make.
func (b *build) finish(ctx context.Context, to *placer) error {
	m, err := readManifest(ctx, b.root, false, nil)
	if err != nil {
		return err
	}
	if err := dropDangling(to.root, m); err != nil {
		return err
	}
	if err := checkClosure(to.root, m, loaders[hostArchitecture()][1]); err != nil {
		return err
	}
	// Only now: the check above reads the tables that this cuts off.
	if err := stripRoot(to.root, m); err != nil {
		return err
	}
	if b.locks("matplotlib") {
		b.opts.Progress.report(StepBytecode, "fonts", 0, 2)
		if err := installFonts(ctx, b.decl, b.root, b.scratch, newPlacer(to.root, nil)); err != nil {
			return err
		}
	}
	if len(b.decl.WarmUp)+len(b.decl.Bytecode) > 0 {
		b.opts.Progress.report(StepBytecode, "warm-up", 1, 2)
		if err := compileBytecode(ctx, b.decl, b.root, b.scratch); err != nil {
			return err
		}
	}
	b.opts.Progress.report(StepBytecode, "", 2, 2)
	return nil
}

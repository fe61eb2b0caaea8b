package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cellwall/cellwall"
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

// seal makes every mode normal, hashes, and writes the manifest beside the
// root.
func (b *build) seal(ctx context.Context, to *placer) error {
	list, err := readManifest(ctx, b.root, false, nil)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Link != "" {
			continue
		}
		mode := modeFile
		if e.Mode.IsDir() || e.Mode&0o100 != 0 {
			mode = modeProgram
		}
		if e.Mode.Perm() != mode {
			if err := to.root.Chmod(e.Path, mode); err != nil {
				return fmt.Errorf("set mode: %w", err)
			}
		}
	}
	var done int64
	total := list.Bytes()
	b.manifest, err = readManifest(ctx, b.root, true, func(path string, size int64) {
		done += size
		b.opts.Progress.report(StepManifest, path, done, total)
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.work, "manifest"), b.manifest.Text(), 0o644)
}

// measure enforces the bounds on size.
func (b *build) measure(ctx context.Context, to *placer) error {
	var done int64
	total := b.manifest.Bytes()
	if err := withinBound("unpacked", total, b.decl.Bound.Unpacked); err != nil {
		return err
	}
	var err error
	b.packed, err = packedSize(ctx, to.root, b.manifest, func(path string, size int64) {
		done += size
		b.opts.Progress.report(StepPack, path, done, total)
	})
	if err != nil {
		return err
	}
	return withinBound("packed", b.packed, b.decl.Bound.Packed)
}

func withinBound(what string, size, bound int64) error {
	if bound == 0 || size <= bound {
		return nil
	}
	return &cellwall.Error{
		Code: cellwall.CodeTooLarge, Op: "measure root",
		Err:  fmt.Errorf("it is %d MB %s, its declaration allows %d", size/1_000_000, what, bound/1_000_000),
		Hint: "prune more, drop a package, or raise [bound] in environment.toml",
	}
}

func (b *build) record() Built {
	e := cellwall.Environment{
		Name: b.decl.Name, Digest: b.manifest.Digest(), Bytes: b.manifest.Bytes(), WarmUp: b.decl.WarmUp,
		Interpreter: rootPython{python: b.decl.Python}.interpreter(),
	}
	for _, r := range b.decl.PythonLock {
		e.Packages = append(e.Packages, cellwall.Package{Name: r.Name, Version: r.Version})
	}
	return Built{Environment: e, Version: recordVersion, Lock: b.decl.LockDigest(), Packed: b.packed, Drift: b.drift, Debs: b.shipped()}
}

// shipped are the Debian packages whose files are in the root.
func (b *build) shipped() []Deb {
	var debs []Deb
	for _, d := range b.debs {
		if d.Name != pipDeb {
			debs = append(debs, d)
		}
	}
	return debs
}

var errOffline = errors.New("it is not in the cache, and the build is offline")

func offline(what string, missing []string) error {
	return &cellwall.Error{
		Code: cellwall.CodeInternal, Op: "fetch " + what + " " + strings.Join(missing, ", "), Err: errOffline,
		Hint: "build once without --offline to fill the cache",
	}
}

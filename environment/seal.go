package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cellwall/cellwall"
)

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

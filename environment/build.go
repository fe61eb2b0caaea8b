package environment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cellwall/cellwall"
)

// Build makes the root of name and lets the name stand for it. A current one
// is left as it is. When ctx ends, or anything fails, the environment stays
// what it was and nothing is left but the cache.
func (s *Store) Build(ctx context.Context, name string, opts Options) (Built, error) {
	d, err := s.Catalog.Load(name)
	if err != nil {
		return Built{}, err
	}
	if d.Architecture != hostArchitecture() {
		return Built{}, &cellwall.Error{
			Code: cellwall.CodeEnvironmentMissing, Op: "build environment " + name,
			Err:  fmt.Errorf("it is locked for %s, this host is %s", d.Architecture, hostArchitecture()),
			Hint: "build on a host of that architecture",
		}
	}
	unlock, err := lockFile(ctx, filepath.Join(s.Dir, "locks", name), func() {
		opts.Progress.report(StepWait, "another build of "+name+" is running: waiting for it", 0, 0)
	})
	if err != nil {
		return Built{}, s.explain(name, err)
	}
	defer unlock()
	if b, err := s.Show(name); err == nil && b.Lock == d.LockDigest() && !opts.Force {
		return b, nil
	}
	b, err := s.build(ctx, d, opts)
	return b, s.explain(name, err)
}

// build works in a directory of its own, which it removes in any case.
func (s *Store) build(ctx context.Context, d Declaration, opts Options) (_ Built, err error) {
	if err := s.sweep(d.Name); err != nil {
		return Built{}, err
	}
	work, err := os.MkdirTemp(filepath.Join(s.Dir, "build"), d.Name+".")
	if err != nil {
		return Built{}, fmt.Errorf("make build directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b := &build{
		decl: d, opts: opts, cache: cache{s.Cache}, work: work,
		root: filepath.Join(work, "root"), scratch: filepath.Join(work, "scratch"),
	}
	err = errors.Join(os.Mkdir(b.root, modeDir), os.Mkdir(b.scratch, modeDir), os.Chmod(b.root, modeDir))
	if err != nil {
		return Built{}, fmt.Errorf("make build directory: %w", err)
	}
	if err := b.run(ctx); err != nil {
		return Built{}, err
	}
	return s.publish(ctx, b)
}

// sweep removes what a build of name left that was killed. The caller holds
// the lock of name.
func (s *Store) sweep(name string) error {
	dir := filepath.Join(s.Dir, "build")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make store: %w", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, name+".*"))
	if err != nil {
		return fmt.Errorf("sweep builds: %w", err)
	}
	for _, l := range left {
		err = errors.Join(err, os.RemoveAll(l))
	}
	return err
}

// publish renames the finished root to its digest and writes the record.
func (s *Store) publish(ctx context.Context, b *build) (Built, error) {
	rec := b.record()
	if err := ctx.Err(); err != nil {
		return rec, context.Cause(ctx)
	}
	unlock, err := s.lockRoots(ctx)
	if err != nil {
		return rec, err
	}
	defer unlock()
	final := filepath.Join(s.Dir, "roots", digestDir(rec.Digest))
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		return rec, fmt.Errorf("make store: %w", err)
	}
	if err := os.RemoveAll(b.scratch); err != nil {
		return rec, fmt.Errorf("clean build: %w", err)
	}
	// A root of this digest that is damaged would keep its damage: it makes
	// way. One that is sound stays, since sandboxes may be using it.
	if s.verifyRoot(ctx, rec.Digest) != nil {
		if err := retire(final, b.work); err != nil {
			return rec, err
		}
		if err := os.Chmod(b.work, 0o755); err != nil {
			return rec, fmt.Errorf("publish root: %w", err)
		}
		if err := os.Rename(b.work, final); err != nil {
			return rec, fmt.Errorf("publish root: %w", err)
		}
	}
	rec.Root = s.rootDir(rec.Digest)
	raw, err := json.MarshalIndent(rec, "", " ")
	if err != nil {
		return rec, fmt.Errorf("write record: %w", err)
	}
	return rec, writeFile(s.record(rec.Name), append(raw, '\n'))
}

// retire moves what stands at final out of the way, into a directory that the
// next sweep removes.
func retire(final, work string) error {
	err := os.Rename(final, work+".old")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace damaged root: %w", err)
	}
	return os.RemoveAll(work + ".old")
}

// writeFile replaces path in one step and survives a crash.
func writeFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", filepath.Base(path), err), os.Remove(f.Name()))
	}
	return nil
}

// explain adds what a person can do.
func (s *Store) explain(name string, err error) error {
	var own *cellwall.Error
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || said(err, "No space left"):
		return &cellwall.Error{
			Code: cellwall.CodeInternal, Op: "build environment " + name, Err: err,
			Hint: "the disk of " + s.Dir + " is full: free 1.5 GB there, or set CELLWALL_STATE_DIR; nothing was left behind",
		}
	case errors.Is(err, fs.ErrPermission):
		return &cellwall.Error{
			Code: cellwall.CodeInternal, Op: "build environment " + name, Err: err,
			Hint: "set CELLWALL_STATE_DIR to a directory that you may write to",
		}
	case errors.As(err, &own):
		return err
	}
	return &cellwall.Error{Code: cellwall.CodeInternal, Op: "build environment " + name, Err: err}
}

func digestDir(digest string) string { return strings.Replace(digest, ":", "-", 1) }

package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// fetchWheels fills the cache with the locked wheels. It needs the unpacked
// interpreter to run pip.
func (b *build) fetchWheels(ctx context.Context, _ *placer) error {
	unlock, err := b.lockCache(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	var missing []Requirement
	var names []string
	for _, r := range b.decl.PythonLock {
		ok, err := b.cache.has(r.SHA256)
		if err != nil {
			return err
		}
		if !ok {
			missing, names = append(missing, r), append(names, r.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if b.opts.Offline {
		return offline("Python packages", names)
	}
	dir, err := b.unpackPip(ctx)
	if err != nil {
		return err
	}
	p := pip{
		python: rootPython{root: b.root, python: b.decl.Python}, dir: dir,
		cache: filepath.Join(b.cache.dir, "pip"), index: b.opts.Index,
	}
	var begun int64
	dest := filepath.Join(b.scratch, "wheels")
	total := int64(len(missing))
	b.opts.Progress.report(StepWheels, "", 0, total)
	err = p.download(ctx, missing, dest, func(name string) {
		b.opts.Progress.report(StepWheels, name, begun, total)
		begun++
	})
	if err != nil {
		return err
	}
	if err := b.adoptWheels(dest); err != nil {
		return err
	}
	b.opts.Progress.report(StepWheels, "", total, total)
	// pip kept a copy of each in its own cache, for a download that breaks off.
	return os.RemoveAll(filepath.Join(b.cache.dir, "pip"))
}

func (b *build) adoptWheels(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read wheels: %w", err)
	}
	locked := map[string]bool{}
	for _, r := range b.decl.PythonLock {
		locked[r.SHA256] = true
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		sum, err := fileSum(path)
		if err != nil {
			return fmt.Errorf("read wheels: %w", err)
		}
		if !locked[sum] {
			return fmt.Errorf("check wheel %s: its SHA-256 %s is not locked", f.Name(), sum)
		}
		if err := b.cache.adopt(path, sum); err != nil {
			return err
		}
	}
	return nil
}

package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Disk keeps contents below one directory:
//
//	content/<first two characters>/<place>
//	incoming/                                 on their way, locked by who writes
type Disk struct{ dir string }

const (
	dirContent  = "content"
	dirIncoming = "incoming"
)

// OpenDisk uses the directory, which it makes, readable by its owner only, when
// it is missing. What killed processes left half written is removed.
func OpenDisk(dir string) (*Disk, error) {
	for _, d := range []string{dirContent, dirIncoming} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return nil, fmt.Errorf("open contents: %w", err)
		}
	}
	if err := sweep(filepath.Join(dir, dirIncoming)); err != nil {
		return nil, fmt.Errorf("open contents: %w", err)
	}
	return &Disk{dir: dir}, nil
}

// Close has nothing to give back.
func (d *Disk) Close() error { return nil }

// Stage makes an empty file on the way into the store.
func (d *Disk) Stage() (*Staged, error) { return stage(filepath.Join(d.dir, dirIncoming)) }

// Keep gives a staged content its place. It is on disk when Keep returns.
func (d *Disk) Keep(ctx context.Context, s *Staged) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	place := newPlace(s.SHA256())
	if err := d.keep(s, d.path(place)); err != nil {
		return "", fmt.Errorf("keep content: %w", err)
	}
	return place, nil
}

func (d *Disk) keep(s *Staged, path string) error {
	if err := s.file.Sync(); err != nil {
		return err
	}
	folder := filepath.Dir(path)
	err := os.Rename(s.path, path)
	if errors.Is(err, fs.ErrNotExist) { // the first of its folder
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		if err := syncDir(filepath.Dir(folder)); err != nil {
			return err
		}
		err = os.Rename(s.path, path)
	}
	if err != nil {
		return err
	}
	return syncDir(folder)
}

// Open gives a content. Its hash is not counted again: it lies where only this
// user writes, and was whole when it got its place.
func (d *Disk) Open(_ context.Context, place string) (*os.File, error) {
	if _, err := sumOf(place); err != nil {
		return nil, err
	}
	f, err := os.Open(d.path(place))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, gone(place, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("open content: %w", err)
	}
	return f, nil
}

// Delete removes a content.
func (d *Disk) Delete(_ context.Context, place string) error {
	if _, err := sumOf(place); err != nil {
		return err
	}
	if err := os.Remove(d.path(place)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete content: %w", err)
	}
	return nil
}

// Each tells every place.
func (d *Disk) Each(ctx context.Context, do func(place string, at time.Time) error) error {
	err := filepath.WalkDir(filepath.Join(d.dir, dirContent), func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return do(e.Name(), info.ModTime())
	})
	if err != nil {
		return fmt.Errorf("list contents: %w", err)
	}
	return nil
}

func (d *Disk) path(place string) string { return filepath.Join(d.dir, dirContent, place[:2], place) }

// syncDir writes the names of a directory to disk.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

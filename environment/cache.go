package environment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// cache keeps downloads as blobs/HEX, named by their SHA-256. A file gets its
// name only after its content was checked, and is checked again before use.
type cache struct{ dir string }

func (c cache) path(sum string) string { return filepath.Join(c.dir, "blobs", sum) }

// partial is where a download of sum may lie unfinished.
func (c cache) partial(sum string) string { return filepath.Join(c.dir, "partial", sum) }

// prepare makes the directories and takes the lock that lets one build at a
// time download.
func (c cache) prepare(ctx context.Context, waiting func()) (unlock func(), err error) {
	for _, d := range []string{"blobs", "partial"} {
		if err := os.MkdirAll(filepath.Join(c.dir, d), 0o755); err != nil {
			return nil, fmt.Errorf("make cache: %w", err)
		}
	}
	return lockFile(ctx, filepath.Join(c.dir, "lock"), waiting)
}

// has reports whether the blob is there and intact; a damaged one is removed.
func (c cache) has(sum string) (bool, error) {
	got, err := fileSum(c.path(sum))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read cache: %w", err)
	case got != sum:
		return false, os.Remove(c.path(sum))
	}
	return true, nil
}

// adopt checks file against sum and moves it into the cache. A file with other
// content is removed.
func (c cache) adopt(file, sum string) error {
	got, err := fileSum(file)
	if err != nil {
		return fmt.Errorf("check download: %w", err)
	}
	if got != sum {
		return errors.Join(fmt.Errorf("check download %s: SHA-256 is %s, locked is %s", filepath.Base(file), got, sum), os.Remove(file))
	}
	if err := os.Rename(file, c.path(sum)); err != nil {
		return fmt.Errorf("keep download: %w", err)
	}
	return nil
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

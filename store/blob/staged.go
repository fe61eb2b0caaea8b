package blob

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cellwall/cellwall/internal/filelock"
)

// Staged is a content on its way into a store: a file of this host that is
// written once, counted and hashed meanwhile. It is not for two goroutines.
type Staged struct {
	file  *os.File
	path  string
	sum   hash.Hash
	bytes int64
}

// stage makes a file in dir and locks it, so that a sweep lets it be.
func stage(dir string) (*Staged, error) {
	for {
		path := filepath.Join(dir, rand.Text())
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, fmt.Errorf("stage content: %w", err)
		}
		if err := filelock.Take(f); err != nil {
			return nil, errors.Join(fmt.Errorf("stage content: %w", err), f.Close(), os.Remove(path))
		}
		if _, err := os.Lstat(path); err == nil {
			return &Staged{file: f, path: path, sum: sha256.New()}, nil
		}
		f.Close() // a sweep was faster than the lock
	}
}

// Write appends to the content.
func (s *Staged) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	s.sum.Write(p[:n])
	s.bytes += int64(n)
	return n, err
}

// ReadFrom appends what r gives.
func (s *Staged) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{s}, r)
}

// SHA256 is the hash, in hex, of what was written so far.
func (s *Staged) SHA256() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// Bytes counts what was written so far.
func (s *Staged) Bytes() int64 { return s.bytes }

// Close removes the file, unless it became the store's.
func (s *Staged) Close() error {
	err := os.Remove(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, s.file.Close()) // not before: with it goes the lock
}

// sweep removes what processes left in dir that were killed.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		f, err := os.Open(path)
		if err != nil {
			continue // it has just gone
		}
		if filelock.Try(f) == nil {
			err = os.Remove(path)
		}
		f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

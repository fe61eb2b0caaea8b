package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cellwall/cellwall"
)

// replaceFile writes a file as a whole: whoever reads it sees the old or the new
// one. It keeps the mode of the old one, and follows a link that its owner made.
func replaceFile(path string, content []byte) (err error) {
	failed := func(err error) error {
		return &cellwall.Error{Code: cellwall.CodeInternal, Op: "write " + path, Err: cause(err), Hint: "choose a place that can be written and has room"}
	}
	mode := fs.FileMode(0o644)
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	switch info, err := os.Stat(target); {
	case err == nil && !info.Mode().IsRegular():
		return usage("write "+path, errNotRegular, "choose another name")
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return failed(err)
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".cellwall-*")
	if err != nil {
		return failed(err)
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		return failed(errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

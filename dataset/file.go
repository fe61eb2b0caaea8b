package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/cellwall/cellwall"
)

// orDefault is the cap on one file: without one it may fill the room that an
// execution has for all of its files.
func orDefault(maxBytes int64) int64 {
	if maxBytes == 0 {
		return cellwall.DefaultLimits().InputBytes
	}
	return maxBytes
}

// File is an input that is open for reading. It is safe for concurrent use.
type File struct {
	f    *os.File
	name string
	size int64
	hash func() (string, error)
	kept string // its hash, of a file in a store
}

// Open opens the file at path; maxBytes 0 means
// [cellwall.DefaultLimits].InputBytes. The name is
// that of the path, made safe. It fails with CodeNotFound when there is none,
// with CodeTooLarge above the cap, and with CodeBadRequest for what cannot be
// read or is no file with bytes in it; each says what to do.
func Open(path string, maxBytes int64) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, cannotOpen(path, err)
	}
	file, err := fromOpen(f, path, SafeName(filepath.Base(path)), maxBytes)
	if err != nil {
		f.Close() // opened for reading: nothing can be lost
		return nil, err
	}
	return file, nil
}

// OpenAll opens files in order and makes their names differ. On an error it
// leaves none open.
func OpenAll(paths []string, maxBytes int64) ([]*File, error) {
	if len(paths) > cellwall.MaxInputs {
		return nil, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "open data files",
			Err: fmt.Errorf("%d are more than %d", len(paths), cellwall.MaxInputs), Hint: "join some of them into one file",
		}
	}
	files := make([]*File, 0, len(paths))
	names := Names{}
	for _, path := range paths {
		file, err := Open(path, maxBytes)
		if err != nil {
			for _, open := range files {
				open.Close()
			}
			return nil, err
		}
		file.name = names.Take(file.name)
		files = append(files, file)
	}
	return files, nil
}

// fromOpen checks an open file and takes it over when it is usable.
func fromOpen(f *os.File, path, name string, maxBytes int64) (*File, error) {
	maxBytes = orDefault(maxBytes)
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, cannotOpen(path, err)
	case info.IsDir():
		return nil, refuse(path, "is a directory", "name a file in it")
	case !info.Mode().IsRegular():
		return nil, refuse(path, "is not a regular file", "save it to a file first")
	case info.Size() == 0:
		return nil, refuse(path, "is empty", "check where it was written: it has no bytes")
	case info.Size() > maxBytes:
		return nil, &cellwall.Error{
			Code: cellwall.CodeTooLarge, Op: "open " + path,
			Err:  fmt.Errorf("%d bytes are more than %d", info.Size(), maxBytes),
			Hint: "give a part of it, or save it as Parquet",
		}
	}
	file := &File{f: f, name: name, size: info.Size()}
	file.hash = sync.OnceValues(file.sum)
	return file, nil
}

// Name is the file's name below /workspace/input.
func (f *File) Name() string { return f.name }

// Size is the number of bytes when the file was opened.
func (f *File) Size() int64 { return f.size }

// Input is what a sandbox is given. It is valid until Close.
func (f *File) Input() cellwall.Input {
	return cellwall.Input{Name: f.name, FD: int(f.f.Fd()), Size: f.size, SHA256: f.kept}
}

// SHA256 is the hash of the content in hex. The first call reads the file and
// later ones remember; it fails when the file became shorter or unreadable.
func (f *File) SHA256() (string, error) { return f.hash() }

// Fact is what is known of the file outside of a sandbox, for [Merge].
func (f *File) Fact(id string) (cellwall.InputFact, error) {
	sum, err := f.SHA256()
	if err != nil {
		return cellwall.InputFact{}, err
	}
	return cellwall.InputFact{ID: id, Name: f.name, Bytes: f.size, SHA256: sum}, nil
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

func (f *File) sum() (string, error) {
	hash := sha256.New()
	n, err := io.Copy(hash, io.NewSectionReader(f.f, 0, f.size))
	if err == nil && n != f.size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return "", fmt.Errorf("hash %s: %w", f.name, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func refuse(path, what, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "open " + path, Err: errors.New(what), Hint: hint}
}

// cannotOpen takes the path off an error that names it anyway.
func cannotOpen(path string, err error) error {
	out := &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "open " + path, Err: err, Hint: "check the path"}
	var at *fs.PathError
	if errors.As(err, &at) {
		out.Err = at.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.Code = cellwall.CodeNotFound
		out.Hint = "check the spelling of the path; relative paths start in the current directory"
	case errors.Is(err, fs.ErrPermission):
		out.Hint = "make the file readable for the user that runs cellwall"
	}
	return out
}

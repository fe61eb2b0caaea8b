package main

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/cellwall/cellwall"
)

var (
	errNoCode       = errors.New("there is none")
	errTwoCodes     = errors.New("a file and -c were both given")
	errEmpty        = errors.New("it is empty")
	errDirectory    = errors.New("it is a directory")
	errNotDirectory = errors.New("it is not a directory")
	errNotNotebook  = errors.New("it is no notebook")
	errNotRegular   = errors.New("it is not a regular file")
)

// source reads the program from where the command line says.
func (v *runVerb) source(stdin io.Reader) (string, error) {
	switch {
	case v.Code != "" && v.File != "":
		return "", usage("read code", errTwoCodes, "give one of them")
	case v.Code != "":
		return v.Code, nil
	case v.File == "":
		return "", usage("read code", errNoCode, "give FILE.py, -c CODE, or - to read standard input")
	case v.File == "-":
		return readSource("standard input", stdin)
	}
	f, _, err := openRegular(v.File)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readSource(v.File, f)
}

// readSource reads as much as can be a program: a character takes at most 4
// bytes, so one byte more is too long in any case and is refused as such.
func readSource(name string, r io.Reader) (string, error) {
	const most = 4*cellwall.MaxCodeBytes + 1
	raw, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil {
		return "", usage("read "+name, cause(err), "check that it can be read")
	}
	if len(raw) == 0 {
		return "", usage("read "+name, errEmpty, "give at least one line of Python")
	}
	return string(raw), nil
}

// openRegular opens a program for reading. It never blocks: a named
// pipe is refused like every other thing that is no file.
func openRegular(path string) (*os.File, int64, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, unreadable(path, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = unreadable(path, err)
	case info.IsDir():
		err = usage("read "+path, errDirectory, "name a file in it")
	case !info.Mode().IsRegular():
		err = usage("read "+path, errNotRegular, "save it to a file first")
	case info.Size() == 0:
		err = usage("read "+path, errEmpty, "check where it was written: it has no bytes")
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func unreadable(path string, err error) error {
	hint := "check the path"
	switch {
	case errors.Is(err, os.ErrNotExist):
		hint = "check the spelling of the path; relative paths start in the current directory"
	case errors.Is(err, os.ErrPermission):
		hint = "make the file readable for the user that runs cellwall"
	}
	return usage("read "+path, cause(err), hint)
}

// cause takes the path off an error that will name it anyway.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

package controller

import (
	"errors"
	"os"
	"path/filepath"
)

// spool writes a stream to a file for the operator, up to room bytes. The file
// is made at the first write; without a path nothing is written. An error ends
// the spool and never the run: the log is a courtesy, the record is not.
type spool struct {
	path  string
	room  int64
	begun bool
	file  *os.File
	err   error
}

func (s *spool) write(p []byte) {
	if s.path == "" || s.err != nil {
		return
	}
	if !s.begun {
		s.begun = true
		s.open()
	}
	p = p[:min(int64(len(p)), s.room)]
	if s.err != nil || len(p) == 0 {
		return
	}
	n, err := s.file.Write(p)
	s.room -= int64(n)
	s.err = err
}

func (s *spool) open() {
	if s.err = os.MkdirAll(filepath.Dir(s.path), 0o700); s.err != nil {
		return
	}
	s.file, s.err = os.OpenFile(s.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

func (s *spool) close() error {
	if s.file == nil {
		return s.err
	}
	err := s.file.Close()
	s.file = nil
	return errors.Join(s.err, err)
}

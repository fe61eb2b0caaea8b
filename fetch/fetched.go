package fetch

import (
	"io"
	"os"
	"sync"
)

// Fetched is a file that was brought.
type Fetched struct {
	Name   string // as its address ends; anything, for who stores it to make safe
	URL    string // where it was in the end
	Media  string
	Bytes  int64
	SHA256 string // in hex
	Cached bool   // nothing, or only whether it is still the same, was asked

	shared *shared
}

// Reader reads it from its beginning, whoever else does.
func (g *Fetched) Reader() io.Reader { return io.NewSectionReader(g.shared.file, 0, g.Bytes) }

// File is its file, which others may read at the same time: only at positions. It is
// valid until Close.
func (g *Fetched) File() *os.File { return g.shared.file }

// Close gives it back.
func (g *Fetched) Close() error { return g.shared.drop() }

// shared is a file without a name that several hold.
type shared struct {
	file *os.File

	mu    sync.Mutex
	users int
}

func newShared(f *os.File) *shared { return &shared{file: f, users: 1} }

func (s *shared) take() *shared {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	return s
}

func (s *shared) drop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return nil
	}
	return s.file.Close()
}

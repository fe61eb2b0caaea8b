package artifact

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/filelock"
)

// Store keeps content under its SHA-256 in one directory of the controller.
// Content that two executions share is kept once. Several processes may use
// the same directory. Its methods may be called concurrently.
type Store struct{ root *os.Root }

// OpenStore makes dir (mode 0700) when it is missing and opens it. The store
// stays in this very directory, whatever its path leads to later.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, storeError("make artifact store", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, storeError("open artifact store", err)
	}
	s := &Store{root: root}
	s.sweep()
	return s, nil
}

// sweep removes the unfinished files of processes that were killed. Whoever
// still writes one holds its lock. What cannot be removed costs space and
// nothing else.
func (s *Store) sweep() {
	d, err := s.root.Open(".")
	if err != nil {
		return
	}
	defer d.Close()
	for {
		entries, err := d.ReadDir(batch)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), unfinished) {
				s.removeAbandoned(e.Name())
			}
		}
		if err != nil || len(entries) == 0 {
			return
		}
	}
}

// removeAbandoned holds the lock while it removes: a writer that comes between
// the making of its file and the lock finds it gone, and begins again.
func (s *Store) removeAbandoned(name string) {
	f, err := s.root.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	if filelock.Try(f) == nil {
		_ = s.root.Remove(name)
	}
}

// begin makes a file for unfinished content and locks it until it is closed.
func (s *Store) begin() (f *os.File, name string, err error) {
	for {
		name = unfinished + rand.Text()
		f, err = s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, "", err
		}
		err = filelock.Take(f)
		if err == nil {
			if _, err = s.root.Lstat(name); err == nil {
				return f, name, nil
			}
		}
		f.Close()
		if !errors.Is(err, fs.ErrNotExist) { // else a sweep was faster than we
			_ = s.root.Remove(name)
			return nil, "", err
		}
	}
}

// unfinished begins the name of content that is still being written.
const unfinished = "put-"

// Close gives the directory back; content stays.
func (s *Store) Close() error { return s.root.Close() }

// Put keeps content and says under which hash. The name appears only when the
// content is complete. It is not flushed to the disk: a machine that loses
// power may lose the content of its last seconds, and [Store.Open] notices.
func (s *Store) Put(ctx context.Context, content io.Reader) (Stored, error) {
	f, temp, err := s.begin()
	if err != nil {
		return Stored{}, storeError("store artifact", err)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), withContext(ctx, content))
	name := hex.EncodeToString(sum.Sum(nil))
	if err == nil && !s.has(name, n) {
		err = s.root.Rename(temp, name)
		temp = ""
	}
	if temp != "" {
		if gone := s.root.Remove(temp); err == nil {
			err = gone
		}
	}
	if closed := f.Close(); err == nil { // not before: with it goes the lock
		err = closed
	}
	if err != nil {
		return Stored{}, storeError("store artifact", err)
	}
	return Stored{SHA256: name, Bytes: n}, nil
}

// has reports whether the content of this hash is there in full length.
func (s *Store) has(name string, size int64) bool {
	info, err := s.root.Lstat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() == size
}

// Open gives the content of an artifact that Put kept. It fails with
// CodeNotFound when the content is not there or not of the recorded size.
func (s *Store) Open(a cellwall.Artifact) (*os.File, error) {
	if !validSum(a.SHA256) {
		return nil, &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "open artifact", Err: errors.New("not a SHA-256")}
	}
	f, err := s.root.Open(a.SHA256)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &cellwall.Error{Code: cellwall.CodeNotFound, Op: "open artifact", Err: err}
	}
	if err != nil {
		return nil, storeError("open artifact", err)
	}
	info, err := f.Stat()
	if err != nil || info.Size() != a.Bytes {
		f.Close()
		return nil, &cellwall.Error{
			Code: cellwall.CodeNotFound, Op: "open artifact",
			Err: fmt.Errorf("content of %s is damaged: it should have %d bytes", a.SHA256, a.Bytes),
		}
	}
	return f, nil
}

func validSum(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == s
}

func storeError(op string, err error) error {
	e := &cellwall.Error{Code: cellwall.CodeInternal, Op: op, Err: err}
	if errors.Is(err, fs.ErrPermission) {
		e.Hint = "the state directory must be writable for the user that runs cellwall"
	}
	return e
}

// withContext ends reading when ctx ends.
func withContext(ctx context.Context, r io.Reader) io.Reader { return &contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

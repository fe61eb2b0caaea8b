package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"syscall"

	"github.com/cellwall/cellwall"
)

// writable is a workspace that takes files, as whoever it belongs to.
type writable interface {
	// Put makes the file of that name hold what r gives, max bytes of it at most.
	Put(name string, r io.Reader, max int64) (int64, error)
	Remove(name string) error
}

// Open opens a file below /workspace/output, or a folder. Its content is hostile,
// and may change while it is read when processes of a cell still run. It waits
// for its turn.
func (s *Session) Open(ctx context.Context, name string) (fs.File, error) {
	const op = "open file"
	tree, leave, err := s.workspace(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	f, err := tree.Open(name)
	if err != nil {
		return nil, fileError(op, name, err)
	}
	return f, nil
}

// Put writes a file below /workspace/output, with the folders that lead there, in
// place of what has that name. r is not to wait: the session does. It fails with
// CodeTooLarge past max bytes and where the workspace is full; what was there
// stays then. A rollback takes the file away again.
func (s *Session) Put(ctx context.Context, name string, r io.Reader, max int64) error {
	const op = "write file"
	return s.change(ctx, op, name, func(w writable) error {
		in := &counted{r: r}
		_, err := w.Put(name, in, max)
		if err != nil && (in.n > max || errors.Is(err, syscall.ENOSPC)) {
			return &cellwall.Error{
				Code: cellwall.CodeTooLarge, Op: op, Err: fmt.Errorf("%.200q does not fit", name),
				Hint: "remove other files, or send less",
			}
		}
		return err
	})
}

// Remove removes a file below /workspace/output, or an empty folder.
func (s *Session) Remove(ctx context.Context, name string) error {
	return s.change(ctx, "remove file", name, func(w writable) error { return w.Remove(name) })
}

// change changes the workspace when its turn has come.
func (s *Session) change(ctx context.Context, op, name string, do func(writable) error) error {
	tree, leave, err := s.workspace(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	w, ok := tree.(writable)
	if !ok {
		return s.cannot(op, "take files into a session")
	}
	if err := do(w); err != nil {
		return fileError(op, name, err)
	}
	s.live.Settle(ctx)
	return nil
}

// workspace gives the output directory in a turn of its own.
func (s *Session) workspace(ctx context.Context, op string) (tree fs.FS, leave func(), err error) {
	_, leave, err = s.work(ctx, call{op: op})
	if err != nil {
		return nil, nil, err
	}
	if tree, err = s.live.Interpreter().Workspace(); err != nil {
		leave()
		return nil, nil, err
	}
	return tree, leave, nil
}

// fileError says what is wrong with a name; the files are the sandbox's own, and so
// is the fault.
func fileError(op, name string, err error) error {
	var ours *cellwall.Error
	if errors.As(err, &ours) {
		return err
	}
	code := cellwall.CodeConflict
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.EIO), errors.Is(err, syscall.ENOMEM):
		return fmt.Errorf("%s: %w", op, err) // ours
	case errors.Is(err, fs.ErrNotExist):
		code, err = cellwall.CodeNotFound, fmt.Errorf("there is no %.200q", name)
	case errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.ENAMETOOLONG):
		code, err = cellwall.CodeBadRequest, fmt.Errorf("%.200q is no name below /workspace/output", name)
	default:
		var where *fs.PathError
		if errors.As(err, &where) {
			err = fmt.Errorf("%.200q: %w", path.Base(name), where.Err)
		}
	}
	return &cellwall.Error{Code: code, Op: op, Err: err}
}

// counted counts what was read.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

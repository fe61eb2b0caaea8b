package artifact

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/cellwall/cellwall"
)

// CopyTo writes an artifact below dir, an operator's directory, under its own
// name, making folders as needed, and returns the path. It never leaves dir,
// whatever the name says and whatever links lie there, and it replaces what
// stood under that name as a whole: a reader sees the old or the new file. A
// link under the name is replaced, not followed. It fails with CodeBadRequest
// when the name leads out of dir or into something that is no directory.
func (s *Store) CopyTo(ctx context.Context, dir string, a cellwall.Artifact) (string, error) {
	if !fs.ValidPath(a.Name) || a.Name == "." || !printable(a.Name) {
		return "", copyError(a, errors.New("name leads out of the directory"))
	}
	content, err := s.Open(a)
	if err != nil {
		return "", err
	}
	defer content.Close()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", copyError(a, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", copyError(a, err)
	}
	defer root.Close()
	if err := place(root, a.Name, withContext(ctx, content)); err != nil {
		return "", copyError(a, err)
	}
	return strings.TrimRight(dir, "/") + "/" + a.Name, nil
}

// place writes content to a new file beside its goal and renames it there.
func place(root *os.Root, name string, content io.Reader) (err error) {
	folder := path.Dir(name)
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if info, err := root.Lstat(name); err == nil && info.IsDir() {
		return fmt.Errorf("a directory stands at %s", name)
	}
	temp := path.Join(folder, ".cellwall-"+rand.Text())
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(temp))
		}
	}()
	_, err = io.Copy(f, content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return root.Rename(temp, name)
}

func copyError(a cellwall.Artifact, err error) error {
	e := &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "copy artifact " + Escape(a.Name), Err: err,
		Hint: "choose an output directory that exists, is writable and holds no links in the way",
	}
	return e
}

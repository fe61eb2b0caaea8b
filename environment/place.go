package environment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// placer writes hostile archives' entries below a root. Nothing is ever
// written outside of it: os.Root refuses every way out, and link targets are
// checked here. An entry that is already there is refused, so that no package
// can replace another's file.
type placer struct {
	root   *os.Root
	skip   globs // paths that are pruned
	dirs   map[string]bool
	prefix string // where archives' names begin, "" = the root
}

// Modes are normal: a program is 0755, everything else 0644.
const (
	modeDir     fs.FileMode = 0o755
	modeFile    fs.FileMode = 0o644
	modeProgram fs.FileMode = 0o755
)

// maxFile bounds one file of a package, in bytes.
const maxFile = 1 << 30

func newPlacer(root *os.Root, skip globs) *placer {
	return &placer{root: root, skip: skip, dirs: map[string]bool{".": true}}
}

// at returns a placer whose names begin below prefix.
func (p *placer) at(prefix string) *placer {
	q := *p
	q.prefix = prefix
	return &q
}

// target is the checked path of name relative to the root; keep is false when
// it is pruned.
func (p *placer) target(name string) (rel string, keep bool, err error) {
	rel = strings.TrimPrefix(name, "./")
	if rel == "" || strings.ContainsRune(rel, 0) || !fs.ValidPath(rel) {
		return "", false, fmt.Errorf("place %q: it is no path below the root", name)
	}
	rel = path.Join(p.prefix, rel)
	return rel, !p.skip.match(rel), nil
}

func (p *placer) file(name string, program bool, content io.Reader) error {
	rel, keep, err := p.target(name)
	if err != nil || !keep {
		return err
	}
	if err := p.parent(rel); err != nil {
		return err
	}
	mode := modeFile
	if program {
		mode = modeProgram
	}
	f, err := p.root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("place %q: %w", name, err)
	}
	n, err := io.Copy(f, io.LimitReader(content, maxFile+1))
	if err == nil && n > maxFile {
		err = errors.New("the file is larger than 1 GiB")
	}
	// The mode is set once more because the umask may have narrowed it.
	if err := errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return fmt.Errorf("place %q: %w", name, err)
	}
	return nil
}

// symlink places a link. An absolute target means one below the root and is
// stored relative, so that the link leads nowhere else on a host either.
func (p *placer) symlink(target, name string) error {
	rel, keep, err := p.target(name)
	if err != nil || !keep {
		return err
	}
	var inside string
	if path.IsAbs(target) {
		inside = path.Clean(target)[1:]
		target = relativeTo(path.Dir(rel), inside)
	} else {
		inside = path.Join(path.Dir(rel), target)
	}
	if target == "" || strings.ContainsRune(target, 0) || inside == ".." || strings.HasPrefix(inside, "../") {
		return fmt.Errorf("place %q: link target %q leaves the root", name, target)
	}
	if err := p.parent(rel); err != nil {
		return err
	}
	if err := p.root.Symlink(target, rel); err != nil {
		return fmt.Errorf("place %q: %w", name, err)
	}
	return nil
}

// copyOf places a hard link as a copy. A pruned original prunes its copies.
func (p *placer) copyOf(original, name string) error {
	from, keep, err := p.target(original)
	if err != nil || !keep {
		return err
	}
	f, err := p.root.Open(from)
	if err != nil {
		return fmt.Errorf("place %q: %w", name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("place %q: its original %q is no file: %w", name, original, err)
	}
	return p.file(name, info.Mode()&0o111 != 0, f)
}

func (p *placer) parent(rel string) error {
	dir := path.Dir(rel)
	if p.dirs[dir] {
		return nil
	}
	if err := p.mkdir(dir); err != nil {
		return fmt.Errorf("place %q: %w", rel, err)
	}
	return nil
}

// mkdir makes a directory and its parents, each with the normal mode whatever
// the umask is.
func (p *placer) mkdir(dir string) error {
	if p.dirs[dir] {
		return nil
	}
	if err := p.mkdir(path.Dir(dir)); err != nil {
		return err
	}
	err := p.root.Mkdir(dir, modeDir)
	switch {
	case err == nil:
		err = p.root.Chmod(dir, modeDir)
	case errors.Is(err, fs.ErrExist):
		var info fs.FileInfo // a link to a directory will do: /lib is usr/lib
		if info, err = p.root.Stat(dir); err == nil && !info.IsDir() {
			err = fmt.Errorf("%q is no directory", dir)
		}
	}
	if err == nil {
		p.dirs[dir] = true
	}
	return err
}

// relativeTo is target, a path below the root, as seen from directory from.
func relativeTo(from, target string) string {
	f, t := strings.Split(path.Clean(from), "/"), strings.Split(path.Clean(target), "/")
	if from == "." {
		f = nil
	}
	for len(f) > 0 && len(t) > 1 && f[0] == t[0] {
		f, t = f[1:], t[1:]
	}
	return strings.Repeat("../", len(f)) + strings.Join(t, "/")
}

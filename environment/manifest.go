package environment

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Entry is one path of a root. Directories have neither size nor sum, links
// have a target only.
type Entry struct {
	Path   string      // relative to the root, "/" separated
	Mode   fs.FileMode // type and permission bits
	Size   int64       // bytes, of a regular file
	SHA256 string      // of a regular file
	Link   string      // of a symbolic link
}

// Manifest lists a root's entries sorted by path, the root itself left out.
type Manifest []Entry

// Bytes is the sum of all files' sizes.
func (m Manifest) Bytes() int64 {
	var n int64
	for _, e := range m {
		n += e.Size
	}
	return n
}

// Digest is "sha256:" and the SHA-256 of Text in hex.
func (m Manifest) Digest() string {
	return "sha256:" + sumOf(m.Text())
}

// Text is the manifest's canonical form, one entry a line whatever the order
// of m: mode in octal with its type (f, d, l), size, SHA-256 or "-", quoted
// path, and for a link " -> " and its quoted target.
func (m Manifest) Text() []byte {
	sorted := slices.SortedFunc(slices.Values(m), func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	for _, e := range sorted {
		b.WriteString(e.line())
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func (e Entry) line() string {
	switch {
	case e.Link != "":
		return fmt.Sprintf("l 0777 0 - %s -> %s", strconv.Quote(e.Path), strconv.Quote(e.Link))
	case e.Mode.IsDir():
		return fmt.Sprintf("d %04o 0 - %s", bits(e.Mode), strconv.Quote(e.Path))
	}
	return fmt.Sprintf("f %04o %d %s %s", bits(e.Mode), e.Size, e.SHA256, strconv.Quote(e.Path))
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// bits are the permission bits, with those for setuid, setgid and sticky where
// Unix has them, so that such a change is a change of the manifest.
func bits(m fs.FileMode) uint32 {
	b := uint32(m.Perm())
	for flag, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if m&flag != 0 {
			b |= bit
		}
	}
	return b
}

// readManifest walks root. Without sums it only lists, which is fast. The
// callback, if any, hears of every file's bytes.
func readManifest(ctx context.Context, root string, sums bool, each func(path string, size int64)) (Manifest, error) {
	var m Manifest
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || rel == "." {
			return err
		}
		e, err := readEntry(path, rel, d, sums)
		if err != nil {
			return err
		}
		m = append(m, e)
		if each != nil {
			each(rel, e.Size)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read root: %w", err)
	}
	return m, nil
}

func readEntry(path, rel string, d fs.DirEntry, sums bool) (Entry, error) {
	info, err := d.Info()
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Path: rel, Mode: info.Mode()}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		e.Link, err = os.Readlink(path)
	case info.IsDir():
	case info.Mode().IsRegular():
		e.Size = info.Size()
		if sums {
			e.SHA256, err = fileSum(path)
		}
	default:
		err = fmt.Errorf("%s is no file, directory or link", rel)
	}
	return e, err
}

// firstDifference names the first path at which two texts of manifests differ
// and says how; "" means that they are equal.
func firstDifference(want, got []byte) string {
	w, g := bufio.NewScanner(bytes.NewReader(want)), bufio.NewScanner(bytes.NewReader(got))
	for {
		more, other := w.Scan(), g.Scan()
		switch {
		case !more && !other:
			return ""
		case more && other && w.Text() == g.Text():
			continue
		}
		wp, gp := linePath(w.Text()), linePath(g.Text())
		switch {
		case !other || more && wp < gp:
			return wp + " is missing"
		case !more || gp < wp:
			return gp + " was added"
		}
		return wp + " was changed"
	}
}

func linePath(line string) string {
	f := strings.SplitN(line, " ", 5)
	if len(f) < 5 {
		return ""
	}
	quoted, _, _ := strings.Cut(f[4], " -> ")
	if p, err := strconv.Unquote(quoted); err == nil {
		return p
	}
	return quoted
}

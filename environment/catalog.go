package environment

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// Catalog finds declarations and locks: first in Overlay, which the operator
// and Update write, then in Builtin. Either may be nil. A file that the
// overlay lacks comes from Builtin, so an overlay may hold renewed locks only.
type Catalog struct {
	Overlay fs.FS
	Builtin fs.FS
}

// maxParents bounds the chain of parents, which a cycle would make endless.
const maxParents = 8

// Names returns the declared names, sorted.
func (c Catalog) Names() ([]string, error) {
	var names []string
	for _, layer := range []fs.FS{c.Overlay, c.Builtin} {
		if layer == nil {
			continue
		}
		found, err := fs.Glob(layer, "*/environment.toml")
		if err != nil {
			return nil, fmt.Errorf("list environments: %w", err)
		}
		for _, f := range found {
			names = append(names, path.Dir(f))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Load returns the declaration of name with its parents' lists merged in and
// its locks read. An unknown name is CodeEnvironmentMissing.
func (c Catalog) Load(name string) (Declaration, error) {
	d, err := c.declaration(name)
	if err != nil {
		return d, err
	}
	debs, err := c.read(name, debLockFile)
	if err != nil {
		return d, lockMissing(name, err)
	}
	wheels, err := c.read(name, pythonLockFile)
	if err != nil {
		return d, lockMissing(name, err)
	}
	if d.DebLock, err = ParseDebLock(debs); err != nil {
		return d, fmt.Errorf("load environment %s: %w", name, err)
	}
	if d.PythonLock, err = ParsePythonLock(wheels); err != nil {
		return d, fmt.Errorf("load environment %s: %w", name, err)
	}
	d.digest = hashParts([]byte(d.digest), debs, wheels)
	return d, nil
}

// declaration reads and merges without the locks, which Update must be able to
// do before they exist.
func (c Catalog) declaration(name string) (Declaration, error) {
	var d Declaration
	var raws [][]byte
	for next, depth := name, 0; next != "" || depth == 0; depth++ {
		if depth == maxParents {
			return d, fmt.Errorf("load environment %s: more than %d parents, or a cycle of them", name, maxParents)
		}
		raw, err := c.read(next, "environment.toml")
		if err != nil {
			return d, c.unknown(next, err)
		}
		one, err := ParseDeclaration(raw)
		if err != nil {
			return d, fmt.Errorf("load environment %s: %w", next, err)
		}
		if one.Name != next {
			return d, fmt.Errorf("load environment %s: its declaration is named %q", next, one.Name)
		}
		raws = append(raws, raw)
		next = one.Parent
		if depth == 0 {
			d = one
		} else {
			d.inherit(one)
		}
	}
	d.digest = hashParts(raws...)
	return d, d.validate()
}

func (c Catalog) read(name, file string) ([]byte, error) {
	if !ValidName(name) {
		return nil, fs.ErrNotExist
	}
	for _, layer := range []fs.FS{c.Overlay, c.Builtin} {
		if layer == nil {
			continue
		}
		raw, err := fs.ReadFile(layer, path.Join(name, file))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return raw, err
		}
	}
	return nil, fs.ErrNotExist
}

func (c Catalog) unknown(name string, cause error) error {
	if !errors.Is(cause, fs.ErrNotExist) {
		return fmt.Errorf("load environment %s: %w", name, cause)
	}
	hint := "cellwall env list"
	if names, err := c.Names(); err == nil && len(names) > 0 {
		hint = "known environments: " + strings.Join(names, ", ")
	}
	return &cellwall.Error{
		Code: cellwall.CodeEnvironmentMissing, Op: fmt.Sprintf("load environment %q", name),
		Err: errors.New("no such environment"), Hint: hint,
	}
}

func lockMissing(name string, cause error) error {
	return &cellwall.Error{
		Code: cellwall.CodeEnvironmentMissing, Op: "read locks of " + name, Err: cause,
		Hint: "cellwall env update " + name,
	}
}

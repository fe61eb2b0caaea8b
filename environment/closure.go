package environment

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// checkClosure proves that every shared library that a file of the root names
// is in the root: in the multiarch directory, or where the file's own run path
// ($ORIGIN) looks. The package list is made by hand; this is its check.
func checkClosure(root *os.Root, m Manifest, libDir string) error {
	have := map[string]bool{}
	for _, e := range m {
		have[e.Path] = true
	}
	var missing []string
	for _, e := range m {
		if !e.Mode.IsRegular() || !strings.Contains(e.Path, ".so") && !strings.HasPrefix(e.Path, "usr/bin/") {
			continue
		}
		needs, err := needed(root, e.Path)
		if err != nil {
			return err
		}
		for _, dirs := range needs {
			if !foundIn(have, dirs.name, append(dirs.path, libDir)) {
				missing = append(missing, fmt.Sprintf("%s (of %s)", dirs.name, e.Path))
			}
		}
	}
	if len(missing) > 0 {
		if len(missing) > 5 {
			missing = append(missing[:5], fmt.Sprintf("and %d more", len(missing)-5))
		}
		return fmt.Errorf("check shared libraries: missing %s", strings.Join(missing, ", "))
	}
	return nil
}

func foundIn(have map[string]bool, name string, dirs []string) bool {
	for _, d := range dirs {
		if have[path.Join(d, name)] {
			return true
		}
	}
	return false
}

// need is one library and the directories of the run path it may be in.
type need struct {
	name string
	path []string
}

func needed(root *os.Root, name string) ([]need, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("check shared libraries: %w", err)
	}
	defer f.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil || string(magic) != elf.ELFMAG {
		return nil, nil // a text, or a linker script
	}
	e, err := elf.NewFile(f)
	if err != nil {
		return nil, fmt.Errorf("check shared libraries: %s: %w", name, err)
	}
	libs, err := e.ImportedLibraries()
	runpath, err2 := e.DynString(elf.DT_RUNPATH)
	rpath, err3 := e.DynString(elf.DT_RPATH)
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, fmt.Errorf("check shared libraries: %s: %w", name, err)
	}
	var dirs []string
	for _, list := range append(runpath, rpath...) {
		for _, d := range strings.Split(list, ":") {
			if below, ok := strings.CutPrefix(strings.Replace(d, "${ORIGIN}", "$ORIGIN", 1), "$ORIGIN"); ok {
				dirs = append(dirs, path.Join(path.Dir(name), below))
			}
		}
	}
	needs := make([]need, 0, len(libs))
	for _, l := range libs {
		needs = append(needs, need{l, dirs})
	}
	return needs, nil
}

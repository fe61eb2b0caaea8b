package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cellwall/cellwall"
)

const openNonblock = syscall.O_NONBLOCK

// inputFiles are open data files.
type inputFiles struct {
	files  []*os.File
	inputs []cellwall.Input
}

// openInputs opens the data files. Two of one base name become name and
// name_2, as their tables become stem and stem_2.
func openInputs(paths []string) (*inputFiles, error) {
	in := &inputFiles{}
	taken := map[string]bool{}
	for _, path := range paths {
		f, size, err := openRegular(path)
		if err != nil {
			in.close()
			return nil, err
		}
		in.files = append(in.files, f)
		in.inputs = append(in.inputs, cellwall.Input{
			Name: freeName(filepath.Base(path), taken), FD: int(f.Fd()), Size: size,
		})
	}
	return in, nil
}

func (in *inputFiles) close() {
	for _, f := range in.files {
		f.Close() // opened for reading: nothing can be lost
	}
}

// freeName returns name, or name with the next number before its endings, and
// takes it.
func freeName(name string, taken map[string]bool) string {
	stem, endings, dotted := strings.Cut(name, ".")
	if dotted {
		endings = "." + endings
	}
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s_%d%s", stem, n, endings)
	}
	taken[name] = true
	return name
}

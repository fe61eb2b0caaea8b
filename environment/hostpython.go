package environment

import (
	"path/filepath"
	"strings"

	"github.com/cellwall/cellwall"
)

// HostPython is the command line and the whole environment by which e's own
// interpreter runs on the host, without any wall, and finds e's packages. It
// is for trusted programs: the driver's tests and the benchmark's comparison.
func HostPython(e cellwall.Environment) (argv, env []string) {
	p := rootPython{root: e.Root, python: strings.TrimPrefix(filepath.Base(e.Interpreter), "python")}
	c := p.command(filepath.Join(e.Root, SiteDir), nil)
	return append([]string{c.Path}, c.Args...), c.Env
}

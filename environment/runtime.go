package environment

import (
	"path/filepath"
	"runtime"
)

// Places inside a root.
const (
	// SiteDir is where packages are; the interpreter finds them by itself.
	SiteDir = "/usr/lib/python3/dist-packages"
	// OnDemandDir holds packages that are put on sys.path after the warm-up.
	OnDemandDir = "/usr/lib/cellwall/parquet"
	// MatplotlibDir holds matplotlibrc and the font cache, to be copied to
	// where MPLCONFIGDIR points.
	MatplotlibDir = "/usr/share/cellwall/matplotlib"
)

// rootPython runs a root's own interpreter on the host without entering the
// root: its loader is called by name and told where the root's libraries are.
// So a build needs no privilege and nothing of the host's libc or Python.
type rootPython struct {
	root   string // absolute
	python string // "3.13"
}

// loaders by GOARCH; the multiarch directory beside it holds the libraries.
var loaders = map[string][2]string{
	"amd64": {"usr/lib64/ld-linux-x86-64.so.2", "usr/lib/x86_64-linux-gnu"},
	"arm64": {"usr/lib/ld-linux-aarch64.so.1", "usr/lib/aarch64-linux-gnu"},
}

// hostArchitecture is the host's architecture as Debian spells it.
func hostArchitecture() string { return runtime.GOARCH }

func (p rootPython) interpreter() string { return "/usr/bin/python" + p.python }

// command runs the interpreter with args. It sees no site directory but path,
// writes no bytecode, and hashes the same on every run.
func (p rootPython) command(path string, env []string, args ...string) command {
	l := loaders[runtime.GOARCH]
	return command{
		Path: filepath.Join(p.root, l[0]),
		Args: append([]string{
			"--inhibit-cache", "--library-path", filepath.Join(p.root, l[1]),
			filepath.Join(p.root, p.interpreter()), "-s", "-S", "-B", "-X", "utf8",
		}, args...),
		Env: append([]string{
			"PYTHONHOME=" + filepath.Join(p.root, "usr"), "PYTHONPATH=" + path,
			"PYTHONHASHSEED=0", "PYTHONUNBUFFERED=1", "OPENBLAS_NUM_THREADS=1",
		}, env...),
		Dir: p.root,
	}
}

package artifact

import (
	"path"
	"strings"
)

// accidental reports whether a file or directory of this base name is a trace
// of the tools rather than an answer: caches, bytecode, core dumps, checkpoints
// of editors. Such things are passed over in silence; nobody made them on
// purpose and a list of them would hide what was refused for a reason.
func accidental(name string, folder bool) bool {
	switch name {
	case "__pycache__", ".ipynb_checkpoints", ".matplotlib", ".cache", ".config", ".ipython", ".local",
		".pytest_cache", ".mypy_cache", ".ruff_cache", ".DS_Store":
		return true
	}
	if folder {
		return false // no tool makes a folder of the names below; people do
	}
	if name == "core" {
		return true
	}
	switch path.Ext(name) {
	case ".pyc", ".pyo", ".swp":
		return true
	}
	digits, isCore := strings.CutPrefix(name, "core.")
	if isCore && digits != "" && strings.Trim(digits, "0123456789") == "" {
		return true
	}
	return strings.HasPrefix(name, "hs_err_pid")
}

// hidden reports whether a name or a folder of it begins with a dot. Such a
// file is no answer, and in an operator's directory it could be a setting of
// somebody's tools.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

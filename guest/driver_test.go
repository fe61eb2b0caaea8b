package guest

import (
	"io/fs"
	"strings"
	"testing"
)

func TestDriver_HoldsTheModulesAndOnlyThem(t *testing.T) {
	var names []string
	err := fs.WalkDir(Driver(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(names, "\n")
	for _, want := range []string{"_cellwall/__init__.py", "_cellwall/shell.py", "_cellwall/serve.py", "_cellwall/tables/__init__.py"} {
		if !strings.Contains(all, want) {
			t.Errorf("driver lacks %s", want)
		}
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "_cellwall/") || !strings.HasSuffix(name, ".py") || strings.Contains(name, "test") {
			t.Errorf("driver must not carry %s", name)
		}
	}
}

func TestDriverDigest_IsOneAndTheSame(t *testing.T) {
	if got := DriverDigest(); len(got) != 64 || got != DriverDigest() {
		t.Errorf("digest %q", got)
	}
}

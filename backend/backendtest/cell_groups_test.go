package backendtest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHierarchyOptions_AreThoseOfTheMachine(t *testing.T) {
	const before = "23 28 0:21 / /proc rw,relatime shared:5 - proc proc rw\n"
	for name, row := range map[string]struct{ text, want string }{
		"Version1":  {before + "30 29 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", ""},
		"Plain":     {before + "28 27 0:24 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n", ""},
		"Delegated": {before + "28 27 0:24 / /sys/fs/cgroup rw - cgroup2 none rw,nsdelegate,memory_recursiveprot\n", "nsdelegate,memory_recursiveprot"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "mountinfo")
			if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := hierarchyOptions(file); err != nil || got != row.want {
				t.Errorf("got %q, %v; want %q", got, err, row.want)
			}
		})
	}
}

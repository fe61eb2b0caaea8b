package environment

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cellwall/cellwall/internal/testkit"
)

// The long tier builds the real thing: twice, in two places, the second time
// without a network, and both must have one digest.
func TestM29_TwoRealBuildsAgree(t *testing.T) {
	if !testkit.Long() {
		t.Skip("it downloads 120 MB and takes minutes: set CELLWALL_TEST_ALL=1")
	}
	builtin := os.DirFS("../environments")
	one, two := Open(filepath.Join(t.TempDir(), "one"), builtin), Open(filepath.Join(t.TempDir(), "two"), builtin)
	two.Cache = one.Cache
	names, err := one.Catalog.Names()
	must(t, err)
	for _, name := range names {
		first, err := one.Build(t.Context(), name, Options{})
		must(t, err)
		second, err := two.Build(t.Context(), name, Options{Offline: true})
		must(t, err)
		if first.Digest != second.Digest {
			t.Errorf("%s: digests differ: %s", name, firstDifference(readText(t, first.Root), readText(t, second.Root)))
		}
		if len(first.Drift) == 0 {
			must(t, one.Verify(t.Context(), name))
		}
	}
}

func readText(t *testing.T, root string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(root), "manifest"))
	must(t, err)
	return text
}

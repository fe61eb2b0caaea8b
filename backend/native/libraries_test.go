package native_test

import (
	"os"
	"testing"

	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/internal/testkit"
)

// TestP16_TheLibrariesRunUnderTheFilter runs the corpus in the environments
// that hold what it uses. The standard library's part is the one that package
// seccomp runs under the bare filter.
func TestP16_TheLibrariesRunUnderTheFilter(t *testing.T) {
	testkit.RequireRoot(t)
	t.Run("standard", func(t *testing.T) {
		source, err := os.ReadFile("../../linux/seccomp/testdata/corpus.py")
		if err != nil {
			t.Fatal(err)
		}
		backendtest.Features(t, backendtest.Setup{Backend: open(t), Environment: basic(t)}, string(source))
	})
	for _, c := range []struct {
		program, environment string
		long                 bool
	}{
		{"data", "python-data-basic", false}, {"stats", "python-stats", true}, {"learning", "python-ml-lite", true},
	} {
		t.Run(c.program, func(t *testing.T) {
			if c.long && !testkit.Long() {
				t.Skipf("it needs %s, which make test does not build: set CELLWALL_TEST_ALL=1", c.environment)
			}
			backendtest.Libraries(t, backendtest.Setup{Backend: open(t), Environment: built(t, c.environment)}, c.program)
		})
	}
}

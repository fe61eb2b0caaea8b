package native_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/environment"
	"github.com/cellwall/cellwall/environments"
	"github.com/cellwall/cellwall/internal/testkit"
)

// stateDir is where the environments of the tests are.
func stateDir() string {
	if dir := os.Getenv("CELLWALL_STATE_DIR"); dir != "" {
		return dir
	}
	return "/var/lib/cellwall"
}

// basic is the built environment python-data-basic, which make test builds
// first.
func basic(t testing.TB) cellwall.Environment {
	t.Helper()
	return built(t, "python-data-basic")
}

// built is a built environment.
func built(t testing.TB, name string) cellwall.Environment {
	t.Helper()
	env, err := environment.Open(stateDir(), environments.FS).Open(name)
	if err != nil {
		t.Fatalf("%v\nhint: %s", err, cellwall.HintOf(err))
	}
	return env
}

// open returns a backend with a state directory of its own.
func open(t testing.TB) *native.Backend {
	t.Helper()
	b := openUnclosed(t)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close backend: %v", err)
		}
	})
	return b
}

// openUnclosed leaves closing to the test.
func openUnclosed(t testing.TB) *native.Backend {
	t.Helper()
	state := t.TempDir()
	openPath(t, state)
	return openIn(t, state)
}

// openIn leaves closing to the test, and the state directory where it is.
func openIn(t testing.TB, state string) *native.Backend {
	t.Helper()
	b, err := native.New(native.Options{
		StateDir: state, Self: []string{"/proc/self/exe", wardenVerb}, Probe: []string{"/proc/self/exe", probeVerb},
		Compile: environment.CompileDir, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	native.StretchPatience(b, testkit.Scale)
	return b
}

// hostTemp is where temporary directories are made before any test moves that.
var hostTemp = os.TempDir()

// openPath lets other users pass through the directories between the host's
// temporary one and dir, which the testing package makes for the owner only.
func openPath(t testing.TB, dir string) {
	t.Helper()
	for ; dir != hostTemp; dir = filepath.Dir(dir) {
		if dir == "/" {
			t.Fatalf("%s is not below %s", dir, hostTemp)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

package native_test

import (
	"os"
	"testing"

	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/linux/probe"
)

const (
	wardenVerb = "native-warden"
	probeVerb  = "probe-child"
)

// TestMain lets the test binary be its own warden and probe child.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case wardenVerb:
			os.Exit(native.Warden())
		case probeVerb:
			os.Exit(probe.Child(os.Args[2:]))
		}
	}
	backendtest.Main(m)
}

package native

import (
	"os"
	"testing"

	"github.com/cellwall/cellwall/linux/probe"
)

// TestMain lets the test binary be its own warden and probe child.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "native-warden":
			os.Exit(Warden())
		case "probe-child":
			os.Exit(probe.Child(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

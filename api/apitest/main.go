package apitest

import (
	"fmt"
	"os"
	"testing"

	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/linux/probe"
)

const (
	wardenVerb = "native-warden"
	probeVerb  = "probe-child"
)

// Main is the body of TestMain in every package that calls Start: it runs the
// tests, or plays a child of the backend.
func Main(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case wardenVerb:
			os.Exit(native.Warden())
		case probeVerb:
			os.Exit(probe.Child(os.Args[2:]))
		}
	}
	status := m.Run()
	if err := closeWall(); err != nil {
		fmt.Fprintln(os.Stderr, "close the wall:", err)
		status = 1
	}
	os.Exit(status)
}

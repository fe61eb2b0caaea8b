package backendtest

import (
	"fmt"
	"os"
	"testing"

	"github.com/cellwall/cellwall/pentest"
)

// cellVariable makes the test binary enter the outer cell.
const cellVariable = "CELLWALL_OUTER_CELL"

// itself starts the test binary as a child; Main decides which.
func itself() []string { return []string{"/proc/self/exe", "-test.run=^$"} }

// Main is the body of TestMain in every package that calls Run or Controls: it
// runs the tests, or plays a child of them.
func Main(m *testing.M) {
	switch {
	case os.Getenv(cellVariable) != "":
		if err := cellMain(); err != nil {
			fmt.Fprintln(os.Stderr, "outer cell:", err)
			os.Exit(1)
		}
	case pentest.IsProcess():
		os.Exit(pentest.ProcessMain())
	default:
		os.Exit(m.Run())
	}
}

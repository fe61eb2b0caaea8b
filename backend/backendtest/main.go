package backendtest

import (
	"fmt"
	"os"
	"testing"
)

// cellVariable makes the test binary enter the outer cell; canaryVariable makes
// it the process that an attack looks for. The second holds the token.
const (
	cellVariable   = "CELLWALL_OUTER_CELL"
	canaryVariable = "CELLWALL_CANARY"
)

// Main is the body of TestMain in every package that calls Run or Controls: it
// runs the tests, or plays a child of them.
func Main(m *testing.M) {
	switch {
	case os.Getenv(cellVariable) != "":
		if err := cellMain(); err != nil {
			fmt.Fprintln(os.Stderr, "outer cell:", err)
			os.Exit(1)
		}
	case os.Getenv(canaryVariable) != "":
		canaryMain()
	default:
		os.Exit(m.Run())
	}
}

// canaryMain says that it stands and waits until its parent closes its input.
func canaryMain() {
	fmt.Println("canary")
	os.Stdin.Read(make([]byte, 1)) //nolint:errcheck // the end of the input is the answer
}

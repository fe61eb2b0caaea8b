package native_test

import (
	"os"
	"strconv"
	"testing"
)

// times is how often something is repeated: few in the fast tier, and what the
// variable says in the long one (scripts/long_suite.py).
func times(t *testing.T, variable string, few int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no number of times", variable, text)
	}
	return n
}

package native_test

import (
	"testing"

	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/internal/testkit"
)

// TestM40_Sessions is the contract of sessions with everything that root can
// enforce.
func TestM40_Sessions(t *testing.T) {
	testkit.RequireRoot(t)
	privateTemp(t)
	s := backendtest.Rooms(t, open(t), basic(t), 0)
	s.Cases = cases(t)
	backendtest.Sessions(t, s)
}

//go:build cellwall_weaken

package native_test

import (
	"testing"

	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/internal/testkit"
)

// TestWeaken_WithoutTheGateACheckpointIsReached is the positive control of the
// attacks on checkpoints.
func TestWeaken_WithoutTheGateACheckpointIsReached(t *testing.T) {
	testkit.RequireRoot(t)
	t.Setenv("CELLWALL_WEAKEN", "snapshot-gate")
	backendtest.SessionControls(t, backendtest.Rooms(t, open(t), basic(t), 0))
}

// TestWeaken_WithoutTheFilterTheAttacksOnCheckpointsWork is that of the attacks
// which the filter refuses whomever they are aimed at.
func TestWeaken_WithoutTheFilterTheAttacksOnCheckpointsWork(t *testing.T) {
	testkit.RequireRoot(t)
	t.Setenv("CELLWALL_WEAKEN", "seccomp")
	backendtest.SessionFilterControls(t, backendtest.Rooms(t, open(t), basic(t), 0))
}

// TestWeaken_WithoutCagesALaterCellTakesACheckpointAway is that of the attacks by
// which a cell has the snapshots after it use up what earlier ones need.
func TestWeaken_WithoutCagesALaterCellTakesACheckpointAway(t *testing.T) {
	testkit.RequireRoot(t)
	t.Setenv("CELLWALL_WEAKEN", "snapshot-cage")
	backendtest.SessionCageControls(t, backendtest.Rooms(t, open(t), basic(t), 0))
}

package cellwall_test

import (
	"encoding/json"
	"testing"

	"github.com/cellwall/cellwall"
)

// A model reads the stop beside the other fields of its observation; without
// one the observation has none of them.
func TestM3_AStopStandsInTheObservationItself(t *testing.T) {
	stopped := cellwall.Observation{Status: cellwall.StatusStopped, Stop: &cellwall.Stop{
		Reason: cellwall.StopFailures, Limit: 3, Used: 3, Suggestion: "ask the user which column is meant",
	}}
	for _, test := range []struct {
		name string
		told cellwall.Observation
		want string
	}{
		{"stopped", stopped, `{"ok":false,"status":"stopped","reason":"consecutive_failures","limit":3,"used":3,"suggestion":"ask the user which column is meant"}`},
		{"not stopped", cellwall.Observation{OK: true}, `{"ok":true}`},
	} {
		got, err := json.Marshal(test.told)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v, want %s", test.name, got, err, test.want)
		}
	}
}

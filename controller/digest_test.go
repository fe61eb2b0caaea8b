package controller

import (
	"testing"

	"github.com/cellwall/cellwall"
)

// Two uploads of one name are told apart by their ids, hashed here or by the store.
func TestM8_AnInputKeepsTheIdOfItsUpload(t *testing.T) {
	inputs := []cellwall.Input{{Name: "a.csv", Dataset: "ds_a", SHA256: "x"}, {Name: "a_2.csv", Dataset: "ds_b", SHA256: "y"}, {Name: "own.csv"}}
	for name, given := range map[string][]cellwall.Input{"known": inputs[:2], "hashed": inputs} {
		facts, err := startDigests(given).wait()
		if err != nil || len(facts) != len(given) {
			t.Fatalf("%s: %v, %v", name, facts, err)
		}
		for i, f := range facts {
			if f.ID != given[i].Dataset {
				t.Errorf("%s: input %d has the id %q, want %q", name, i, f.ID, given[i].Dataset)
			}
		}
	}
}

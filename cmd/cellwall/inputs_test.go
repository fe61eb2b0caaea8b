package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestAWiderLimitOfInputsReachesEachFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.csv")
	size := cellwall.DefaultLimits().InputBytes + 1
	if err := os.WriteFile(path, []byte("a,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil { // sparse: it costs nothing
		t.Fatal(err)
	}
	if _, _, err := openInputs([]string{path}, cellwall.Limits{}); err == nil {
		t.Error("a file above the default was opened")
	}
	inputs, undo, err := openInputs([]string{path}, cellwall.Limits{InputBytes: cellwall.GiB})
	if err != nil {
		t.Fatal(err)
	}
	defer undo()
	if len(inputs) != 1 || inputs[0].Size != size {
		t.Errorf("opened %v", inputs)
	}
}

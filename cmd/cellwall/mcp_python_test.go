package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cellwall/cellwall/internal/testkit"
)

func TestM44_OverLines_TheOfficialPythonClientAnalysesData(t *testing.T) {
	testkit.RequireRoot(t)
	data, err := filepath.Abs("../../testdata/cases/orders_zh.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !testkit.Long() {
		t.Skip("left to the long tier: CELLWALL_TEST_ALL; the same way is gone line by line in TestM44_OverLines_AClientAnalysesData")
	}
	for _, mode := range []string{"auto", "legacy"} {
		t.Run(mode, func(t *testing.T) {
			state := shortDir(t)
			linkEnvironments(t, state)
			run := exec.CommandContext(t.Context(), "../../scripts/mcp-python.sh", "scripts/mcp/client.py", mode,
				"/usr/bin/env", "CELLWALL_TEST_AS=cellwall", "CELLWALL_STATE_DIR="+state, os.Args[0], "mcp", "-d", data, "--query-env", "none")
			var errors strings.Builder
			run.Stderr = &errors
			out, err := run.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, errors.String())
			}
			var seen struct {
				First, Then, Ran []string
				Refused          bool
				Tables, Progress int
				Read, Unknown    string
			}
			if err := json.Unmarshal(out, &seen); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if !reflect.DeepEqual(seen.First, []string{"inspect_data"}) || !seen.Refused || seen.Tables != 1000 {
				t.Errorf("at first: %+v", seen)
			}
			if !reflect.DeepEqual(seen.Then, []string{"inspect_data", "make_chart", "run_python"}) || !reflect.DeepEqual(seen.Ran, []string{"text", "image", "resource_link"}) {
				t.Errorf("then: %+v", seen)
			}
			if seen.Read != "image/png" || !strings.Contains(seen.Unknown, "no_such_tool") || seen.Progress < 4 {
				t.Errorf("at last: %+v", seen)
			}
		})
	}
}

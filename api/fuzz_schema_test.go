package api_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cellwall/cellwall/api/apitest"
	"github.com/cellwall/cellwall/internal/testkit"
)

// What the document allows and what it forbids is sent, and every answer is held
// to the document.
func TestBadInput_SchemathesisFindsNothing(t *testing.T) {
	s := apitest.Start(t)
	examples, patience := "8", 4*time.Minute
	if testkit.Long() {
		examples, patience = "200", 40*time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	run := exec.CommandContext(ctx, "../scripts/schemathesis.sh", s.URL, s.Key, "--seed", "1", "--max-examples", examples, "--phases", "coverage,fuzzing")
	said, err := run.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	if a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`); a.Status != 200 {
		t.Errorf("afterwards it is %d %s", a.Status, a.Body)
	}
}

func TestM42_TheDocumentPassesALinter(t *testing.T) {
	s := apitest.Start(t)
	document := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(document, s.Call(t, "GET", "/openapi.json", "", "").Body, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	said, err := exec.CommandContext(ctx, "../scripts/redocly.sh", document).CombinedOutput()
	if exit := new(exec.ExitError); err != nil {
		if errors.As(err, &exit) && exit.ExitCode() == 77 {
			t.Skipf("no npm to fetch the linter with, proof: %s", said)
		}
		t.Errorf("%v\n%s", err, said)
	}
}

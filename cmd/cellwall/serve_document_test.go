package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// What the document allows and what it forbids is sent to the service as it is
// started, with a key of all scopes, and every answer is held to the document.
func TestBadInput_SchemathesisFindsNothing(t *testing.T) {
	s := realService(t)
	key := s.newKey(s.newTenant(), time.Time{}, cellwall.Scopes()...)
	options, patience := []string{"--max-examples", "4", "--phases", "coverage,fuzzing"}, 5*time.Minute
	if testkit.Long() {
		options, patience = []string{"--max-examples", "100", "--phases", "examples,coverage,fuzzing,stateful"}, 50*time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	run := exec.CommandContext(ctx, "../../scripts/schemathesis.sh", append([]string{s.tcp, key, "--seed", "1"}, options...)...)
	said, err := run.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	if _, cases, ok := strings.Cut(string(said), "Test cases:\n"); ok {
		line, _, _ := strings.Cut(strings.TrimSpace(cases), "\n")
		t.Logf("figures: schemathesis %s", line)
	} else {
		t.Errorf("no cases were counted\n%s", said)
	}
	// As the operator: the key may have revoked itself, which is no fault.
	if status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("1")); status != 200 {
		t.Errorf("afterwards it is %d %s", status, text)
	}
}

func TestM42_TheDocumentPassesALinter(t *testing.T) {
	s := realService(t)
	status, text := call(t, http.DefaultClient, "GET", s.tcp+"/openapi.json", "")
	if status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	document := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(document, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	said, err := exec.CommandContext(ctx, "../../scripts/redocly.sh", document).CombinedOutput()
	if exit := new(exec.ExitError); err != nil {
		if errors.As(err, &exit) && exit.ExitCode() == 77 {
			t.Skipf("no npm to fetch the linter with, proof: %s", said)
		}
		t.Errorf("%v\n%s", err, said)
	}
}

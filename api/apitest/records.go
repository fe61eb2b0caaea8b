package apitest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Records are the lines that the service has written of its two tenants, and of
// strangers.
func (s *Service) Records(t testing.TB) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.State, "records", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			named := bytes.Contains(line, []byte(`"tenant":"tnt_`))
			if !named || bytes.Contains(line, []byte(s.Tenant)) || bytes.Contains(line, []byte(s.Second)) {
				all.Write(line)
			}
		}
	}
	return all.String()
}

package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// POST /execute with files is one execution, as without: in the list, in what was
// used, in the records and for a budget.
func TestExecute_WithFilesIsOneExecution(t *testing.T) {
	s := realService(t)
	var made struct{ ID string }
	s.operate("POST", "/v1/admin/tenants", `{"name":"shop","terms":{"budget":{"executions":2}}}`, 201, &made)
	key := s.newKey(made.ID, time.Time{}, cellwall.Scopes()...)
	ask := func(method, path, body string) (int, string) {
		return call(t, http.DefaultClient, method, s.tcp+path, body, "X-API-Key", key)
	}
	const files = `{"code":"print(open('a.txt').read())","input_files":{"a.txt":"hello"},"return_output_files":true}`
	for n := 1; n <= 2; n++ {
		if status, text := ask("POST", "/execute", files); status != 200 || !strings.Contains(text, `"stdout":"hello\n"`) {
			t.Fatalf("execution %d: %d %s", n, status, text)
		}
		_, text := ask("GET", "/v1/executions", "")
		var list struct{ Items []struct{ ID string } }
		if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Items) != n {
			t.Errorf("after %d the list has %s", n, text)
		}
	}
	if status, text := ask("POST", "/execute", files); status != 429 || !strings.Contains(text, "Execution failed: ") {
		t.Errorf("beyond a budget of two: %d %s", status, text)
	}
	s.await("what was used is not told", func() bool {
		_, text := ask("GET", "/v1/usage", "")
		return strings.Contains(text, `"executions":2`)
	})
	var records struct {
		Items []struct {
			Status string
			Code   string
		}
	}
	_, text := ask("GET", "/v1/audit", "")
	if err := json.Unmarshal([]byte(text), &records); err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, r := range records.Items {
		ran[r.Status]++
	}
	if ran["ok"] != 2 || ran["refused"] != 1 {
		t.Errorf("the records tell of %v: %s", ran, text)
	}
}

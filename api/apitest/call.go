package apitest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Call sends a request and reads the answer. headers are names and values in
// turn; a body without a Content-Type among them is JSON.
func (s *Service) Call(t testing.TB, method, path, key, body string, headers ...string) Answer {
	t.Helper()
	a, err := s.Try(t, method, path, key, strings.NewReader(body), headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// Try is Call with any body, and with an error where the connection ended.
func (s *Service) Try(t testing.TB, method, path, key string, body io.Reader, headers ...string) (Answer, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("X-API-Key", key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	got, err := client.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer got.Body.Close()
	s.called.note(r, got.StatusCode)
	raw, err := io.ReadAll(got.Body)
	return Answer{got.StatusCode, got.Header, raw}, err
}

// Into decodes the body of an answer that must have this status.
func Into[T any](t testing.TB, a Answer, status int) (v T) {
	t.Helper()
	if a.Status != status {
		t.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	return v
}

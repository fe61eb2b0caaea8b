package apitest

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
)

// follow opens a stream of events, and gives one after the other until it ends, the
// test does, or leave is called.
func (s *Service) follow(t *testing.T, method, path, key, ask string, headers ...string) (next func() (event, bool), leave func()) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(ask))
	if err != nil {
		t.Fatal(err)
	}
	headers = append([]string{"X-API-Key", key, "Accept", "text/event-stream", "Content-Type", "application/json"}, headers...)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{}}
	got, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { leave(); got.Body.Close(); client.CloseIdleConnections() })
	s.called.note(r, got.StatusCode)
	if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s %s: %d %v", method, path, got.StatusCode, got.Header)
	}
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 4<<20)
	return func() (e event, more bool) {
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.kind = value
			case "data":
				e.data = value
			case "":
				if e.kind != "" {
					return e, true
				}
			}
		}
		return e, false
	}, leave
}

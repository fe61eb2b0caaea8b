package api_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

// TestM42_ARevokedKeyHearsNoMore has two keys listen, revokes one of them, and lets
// something happen.
func TestM42_ARevokedKeyHearsNoMore(t *testing.T) {
	told := make(chan struct{})
	s := apitest.Start(t, func(o *api.Options) { o.Events = twoEvents{told} })
	stays, goes := s.Keys.Add("tnt_heard", time.Time{}, cellwall.ScopeExecute), s.Keys.Add("tnt_heard", time.Time{}, cellwall.ScopeExecute)
	hears, deaf := listen(t, s, stays), listen(t, s, goes)
	for _, one := range []io.Reader{hears, deaf} {
		if text := next(t, one); !strings.Contains(text, "first") {
			t.Fatalf("it hears %q at first", text)
		}
	}
	s.Keys.Revoke(goes)
	close(told)
	if text := rest(t, deaf); strings.Contains(text, "second") {
		t.Errorf("the revoked key heard %q", text)
	}
	if text := rest(t, hears); !strings.Contains(text, "second") {
		t.Errorf("the other key heard %q only", text)
	}
	if a := s.Call(t, "GET", "/v1/events", goes, "", "Accept", "text/event-stream"); a.Status != http.StatusUnauthorized {
		t.Errorf("it comes back and is answered %d %s", a.Status, a.Body)
	}
}

// listen opens the stream of a tenant's events.
func listen(t *testing.T, s *apitest.Service, key string) io.Reader {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/v1/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	r.Header.Set("Accept", "text/event-stream")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	return answer.Body
}

func next(t *testing.T, from io.Reader) string {
	t.Helper()
	text := make([]byte, 4096)
	n, err := from.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(text[:n])
}

func rest(t *testing.T, from io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// twoEvents has one event at once, a second one when it is told, and then an end.
type twoEvents struct{ told chan struct{} }

func (e twoEvents) Events(ctx context.Context, tenant string, after uint64, n int) ([]cellwall.Happening, error) {
	return e.Next(ctx, tenant, after, n)
}

func (e twoEvents) Next(ctx context.Context, tenant string, after uint64, _ int) ([]cellwall.Happening, error) {
	switch after {
	case 0:
		return []cellwall.Happening{{Seq: 1, Kind: "first", Tenant: tenant}}, nil
	case 1:
		select {
		case <-e.told:
			return []cellwall.Happening{{Seq: 2, Kind: "second", Tenant: tenant}}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, io.EOF
}

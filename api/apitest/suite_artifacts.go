package apitest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func artifactOf(t *testing.T, s *Service, name, content string) cellwall.Artifact {
	t.Helper()
	code, err := json.Marshal(map[string]string{"code": fmt.Sprintf("open(%q, 'w').write(%q)", name, content)})
	if err != nil {
		t.Fatal(err)
	}
	r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, string(code)), 200)
	if len(r.Artifacts) != 1 {
		t.Fatalf("%+v", r)
	}
	return r.Artifacts[0]
}

func anArtifactIsSavedAndNeverRun(t *testing.T, s *Service) {
	const page = "<html><script>alert(1)</script>"
	a := artifactOf(t, s, "bericht ü.html", page)
	got := s.Call(t, "GET", "/v1/artifacts/"+a.ID, s.Key, "")
	if got.Status != 200 || string(got.Body) != page {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options":  "nosniff",
		"Content-Disposition":     `attachment; filename="bericht _.html"; filename*=UTF-8''bericht%20%C3%BC.html`,
		"Content-Security-Policy": "sandbox; default-src 'none'",
		"Content-Type":            a.MediaType,
		"Etag":                    `"` + a.SHA256 + `"`,
	} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("%s: %q, want %q", name, v, want)
		}
	}
	if a := s.Call(t, "GET", "/v1/artifacts/"+a.ID, s.Key, "", "If-None-Match", got.Header.Get("Etag")); a.Status != 304 {
		t.Errorf("with its ETag it is %d", a.Status)
	}
	if a := s.Call(t, "GET", "/v1/artifacts/"+a.ID, s.Key, "", "Range", "bytes=0-5"); a.Status != 206 || string(a.Body) != page[:6] {
		t.Errorf("a range is %d %q", a.Status, a.Body)
	}
	DemandProblem(t, "a range that is not there", s.Call(t, "GET", "/v1/artifacts/"+a.ID, s.Key, "", "Range", "bytes=900-"), 416, "bad_request")
}

func aLinkOpensOneArtifactForAWhile(t *testing.T, s *Service) {
	a := artifactOf(t, s, "a.txt", "hello")
	other := artifactOf(t, s, "b.txt", "other")
	type link struct {
		URL     string
		Expires time.Time `json:"expires_at"`
	}
	l := Into[link](t, s.Call(t, "POST", "/v1/artifacts/"+a.ID+"/link", s.Key, `{"expires_in_s":2}`), 200)
	if left := time.Until(l.Expires); left <= 0 || left > 2*time.Second {
		t.Errorf("it expires in %s", left)
	}
	if got := s.Call(t, "GET", l.URL, "", ""); got.Status != 200 || string(got.Body) != "hello" || got.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	u, err := url.Parse(l.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(url.Values) string{
		"another artifact":     func(q url.Values) string { return "/v1/artifacts/" + other.ID + "/content?" + q.Encode() },
		"a later end":          func(q url.Values) string { q.Set("expires", "9999999999"); return u.Path + "?" + q.Encode() },
		"another tenant":       func(q url.Values) string { q.Set("tenant", "tnt_x"); return u.Path + "?" + q.Encode() },
		"no signature":         func(q url.Values) string { q.Del("signature"); return u.Path + "?" + q.Encode() },
		"a signature of words": func(q url.Values) string { q.Set("signature", "zz"); return u.Path + "?" + q.Encode() },
		"nothing":              func(url.Values) string { return u.Path },
	} {
		DemandProblem(t, name, s.Call(t, "GET", change(u.Query()), "", ""), 403, "forbidden")
	}
	if a := s.Call(t, "POST", "/v1/artifacts/"+a.ID+"/link", s.Other, ``); a.Status != 404 {
		t.Errorf("another tenant makes a link: %d", a.Status)
	}
	if a := s.Call(t, "POST", "/v1/artifacts/"+a.ID+"/link", s.Key, ``); a.Status != 200 {
		t.Errorf("without a body: %d %s", a.Status, a.Body)
	}
	time.Sleep(time.Until(l.Expires))
	p := DemandProblem(t, "expired", s.Call(t, "GET", l.URL, "", ""), 403, "forbidden")
	if !strings.Contains(p.Detail, "expired") {
		t.Errorf("it says %q", p.Detail)
	}
}

func answersAreCompressedForWhoAsks(t *testing.T, s *Service) {
	plain := s.Call(t, "GET", "/openapi.json", "", "")
	small := s.Call(t, "GET", "/openapi.json", "", "", "Accept-Encoding", "gzip")
	if small.Header.Get("Content-Encoding") != "gzip" || len(small.Body) > len(plain.Body)/3 {
		t.Fatalf("%v: %d of %d bytes", small.Header, len(small.Body), len(plain.Body))
	}
	z, err := gzip.NewReader(bytes.NewReader(small.Body))
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := io.ReadAll(z); err != nil || !bytes.Equal(raw, plain.Body) {
		t.Errorf("unpacked it is another: %v", err)
	}
	if a := s.Call(t, "GET", "/openapi.json", "", "", "If-None-Match", small.Header.Get("Etag")); a.Status != 304 {
		t.Errorf("the ETag of the compressed copy: %d", a.Status)
	}
	r := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"print('x'*100000)"}`, "Accept-Encoding", "gzip")
	if r.Header.Get("Content-Encoding") != "gzip" || len(r.Body) > 10_000 {
		t.Errorf("%v, %d bytes", r.Header, len(r.Body))
	}
}

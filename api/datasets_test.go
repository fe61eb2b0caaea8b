package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

const sales = "region;revenue\nNord;1,5\nSüd;2,5\n"

func upload(t *testing.T, s *apitest.Service, key, name, content string, headers ...string) apitest.Answer {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{"name": "file", "filename": name})}})
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(part, content)
	w.Close()
	return s.Call(t, "POST", "/v1/datasets", key, b.String(), append([]string{"Content-Type", w.FormDataContentType()}, headers...)...)
}

func TestM3_ADatasetIsUploadedDescribedUsedAndDeleted(t *testing.T) {
	s := apitest.Start(t)
	first := upload(t, s, s.Key, "sales.csv", sales, "Idempotency-Key", "up-1")
	d := apitest.Into[cellwall.Dataset](t, first, 201)
	if d.Delimiter != ";" || d.Decimal != "," || d.Rows != 2 || len(d.Columns) != 2 || d.Name != "sales.csv" || d.Bytes != int64(len(sales)) {
		t.Errorf("%s", first.Body)
	}
	if got := first.Header.Get("Location"); got != "/v1/datasets/"+d.ID {
		t.Errorf("Location %q", got)
	}
	again := upload(t, s, s.Key, "sales.csv", sales, "Idempotency-Key", "up-1")
	if a := apitest.Into[cellwall.Dataset](t, again, 201); a.ID != d.ID || again.Header.Get("Idempotency-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("again under its key: %s %v", again.Body, again.Header)
	}
	if a := upload(t, s, s.Key, "sales.csv", sales+"x;1\n", "Idempotency-Key", "up-1"); a.Status != 409 {
		t.Errorf("another file under the key: %d", a.Status)
	}
	if l := apitest.Into[list[listed]](t, s.Call(t, "GET", "/v1/datasets", s.Key, ""), 200); len(l.Items) != 1 {
		t.Errorf("the list has %+v", l.Items)
	}
	got := s.Call(t, "GET", "/v1/datasets/"+d.ID, s.Key, "")
	if a := apitest.Into[cellwall.Dataset](t, got, 200); a.Rows != 2 || a.SHA256 != d.SHA256 {
		t.Errorf("%s", got.Body)
	}
	if a := s.Call(t, "GET", "/v1/datasets/"+d.ID, s.Key, "", "If-None-Match", got.Header.Get("Etag")); a.Status != 304 {
		t.Errorf("with its ETag it is %d", a.Status)
	}
	if a := s.Call(t, "GET", "/v1/datasets/"+d.ID+"/content", s.Key, ""); string(a.Body) != sales || !strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%v %q", a.Header, a.Body)
	}
	r := apitest.Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"float(df.revenue.sum())","datasets":["`+d.ID+`"]}`), 200)
	if !r.OK || string(r.Results[0].Data["text/plain"]) != `"4.0"` {
		t.Errorf("%+v", r)
	}
	for _, path := range []string{"/v1/datasets/" + d.ID, "/v1/datasets/" + d.ID + "/content"} {
		if a := s.Call(t, "GET", path, s.Other, ""); a.Status != 404 {
			t.Errorf("another tenant gets %s: %d", path, a.Status)
		}
	}
	if a := s.Call(t, "DELETE", "/v1/datasets/"+d.ID, s.Other, ""); a.Status != 404 {
		t.Errorf("another tenant deletes it: %d", a.Status)
	}
	if a := s.Call(t, "DELETE", "/v1/datasets/"+d.ID, s.Key, ""); a.Status != 204 {
		t.Errorf("deleting it: %d %s", a.Status, a.Body)
	}
	if a := s.Call(t, "GET", "/v1/datasets/"+d.ID, s.Key, ""); a.Status != 404 {
		t.Errorf("deleted it is %d", a.Status)
	}
}

func TestM3_ARawBodyIsADatasetToo(t *testing.T) {
	s := apitest.Start(t)
	a := s.Call(t, "POST", "/v1/datasets", s.Key, sales, "Content-Type", "text/csv", "Content-Disposition", `attachment; filename*=UTF-8''%E9%94%80%E5%94%AE.csv`)
	if d := apitest.Into[cellwall.Dataset](t, a, 201); d.Name != "销售.csv" || d.Rows != 2 {
		t.Errorf("%s", a.Body)
	}
}

func TestBadInput_ADatasetBeyondTheBoundIsCutWhileItIsRead(t *testing.T) {
	s := apitest.Start(t)
	s.Keys.Change(s.Tenant, func(terms *cellwall.Terms) { terms.Ceiling.InputBytes = 1 << 20 })
	demandProblem(t, "announced", s.Call(t, "POST", "/v1/datasets", s.Key, strings.Repeat("x", 3<<20), "Content-Type", "text/csv"), 413, "too_large")
	var read atomic.Int64 // the transport goes on reading behind an answer
	body := readerFunc(func(p []byte) (int, error) { read.Add(int64(len(p))); clear(p); return len(p), nil })
	a, err := s.Try(t, "POST", "/v1/datasets", s.Key, struct{ io.Reader }{io.LimitReader(body, 1<<30)}, "Content-Type", "text/csv")
	if err == nil {
		demandProblem(t, "in chunks", a, 413, "too_large")
	}
	if read.Load() > 64<<20 {
		t.Errorf("%d bytes were taken of a dataset that may have 1 MiB", read.Load())
	}
	if l := apitest.Into[list[listed]](t, s.Call(t, "GET", "/v1/datasets", s.Key, ""), 200); len(l.Items) != 0 {
		t.Errorf("left behind: %+v", l.Items)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type resumable struct {
	ID             string
	Size, Received int64
	Dataset        *string
}

func TestM3_AnUploadIsResumed(t *testing.T) {
	s := apitest.Start(t)
	begun := s.Call(t, "POST", "/v1/uploads", s.Key, `{"name":"../../sales.csv","size":`+strconv.Itoa(len(sales))+`}`)
	u := apitest.Into[resumable](t, begun, 201)
	path := begun.Header.Get("Location")
	if path != "/v1/uploads/"+u.ID || u.Received != 0 {
		t.Fatalf("%s %v", begun.Body, begun.Header)
	}
	piece := func(offset int, text string) apitest.Answer {
		return s.Call(t, "PATCH", path, s.Key, text, "Content-Type", "application/offset+octet-stream", "Upload-Offset", strconv.Itoa(offset))
	}
	if a := piece(0, sales[:10]); a.Status != 204 || a.Header.Get("Upload-Offset") != "10" {
		t.Fatalf("the first piece: %d %v %s", a.Status, a.Header, a.Body)
	}
	demandProblem(t, "a gap", piece(20, sales[20:]), 409, "conflict")
	demandProblem(t, "the same piece again", piece(0, sales[:10]), 409, "conflict")
	if a := s.Call(t, "HEAD", path, s.Key, ""); a.Status != 200 || a.Header.Get("Upload-Offset") != "10" || a.Header.Get("Upload-Length") != strconv.Itoa(len(sales)) {
		t.Errorf("asked how far it is: %d %v", a.Status, a.Header)
	}
	if a := s.Call(t, "GET", path, s.Other, ""); a.Status != 404 {
		t.Errorf("another tenant sees it: %d", a.Status)
	}
	d := apitest.Into[cellwall.Dataset](t, piece(10, sales[10:]), 201)
	if d.Rows != 2 || d.Name != "sales.csv" {
		t.Errorf("%+v", d)
	}
	// The answer was lost: the client asks, and sends nothing more.
	again := apitest.Into[cellwall.Dataset](t, piece(len(sales), ""), 201)
	if again.ID != d.ID {
		t.Errorf("asked again it is %s, was %s", again.ID, d.ID)
	}
	if got := apitest.Into[resumable](t, s.Call(t, "GET", path, s.Key, ""), 200); got.Dataset == nil || *got.Dataset != d.ID {
		t.Errorf("%+v", got)
	}
	if a := s.Call(t, "DELETE", path, s.Key, ""); a.Status != 204 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	demandProblem(t, "no offset", s.Call(t, "PATCH", path, s.Key, "x", "Content-Type", "application/offset+octet-stream"), 400, "bad_request")
	demandProblem(t, "another type", s.Call(t, "PATCH", path, s.Key, "x", "Content-Type", "text/csv"), 415, "bad_request")
	demandProblem(t, "too large", s.Call(t, "POST", "/v1/uploads", s.Key, `{"name":"x","size":1000000000000}`), 413, "too_large")
}

func artifactOf(t *testing.T, s *apitest.Service, name, content string) cellwall.Artifact {
	t.Helper()
	code, err := json.Marshal(map[string]string{"code": fmt.Sprintf("open(%q, 'w').write(%q)", name, content)})
	if err != nil {
		t.Fatal(err)
	}
	r := apitest.Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, string(code)), 200)
	if len(r.Artifacts) != 1 {
		t.Fatalf("%+v", r)
	}
	return r.Artifacts[0]
}

func TestP9_AnArtifactIsSavedAndNeverRun(t *testing.T) {
	s := apitest.Start(t)
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
	demandProblem(t, "a range that is not there", s.Call(t, "GET", "/v1/artifacts/"+a.ID, s.Key, "", "Range", "bytes=900-"), 416, "bad_request")
}

func TestM42_ALinkOpensOneArtifactForAWhile(t *testing.T) {
	s := apitest.Start(t)
	a := artifactOf(t, s, "a.txt", "hello")
	other := artifactOf(t, s, "b.txt", "other")
	type link struct {
		URL     string
		Expires time.Time `json:"expires_at"`
	}
	l := apitest.Into[link](t, s.Call(t, "POST", "/v1/artifacts/"+a.ID+"/link", s.Key, `{"expires_in_s":2}`), 200)
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
		demandProblem(t, name, s.Call(t, "GET", change(u.Query()), "", ""), 403, "forbidden")
	}
	if a := s.Call(t, "POST", "/v1/artifacts/"+a.ID+"/link", s.Other, ``); a.Status != 404 {
		t.Errorf("another tenant makes a link: %d", a.Status)
	}
	if a := s.Call(t, "POST", "/v1/artifacts/"+a.ID+"/link", s.Key, ``); a.Status != 200 {
		t.Errorf("without a body: %d %s", a.Status, a.Body)
	}
	time.Sleep(time.Until(l.Expires))
	p := demandProblem(t, "expired", s.Call(t, "GET", l.URL, "", ""), 403, "forbidden")
	if !strings.Contains(p.Detail, "expired") {
		t.Errorf("it says %q", p.Detail)
	}
}

func TestO112_F21_NamesOfUploadsAreTamed(t *testing.T) {
	s := apitest.Start(t)
	for given, want := range map[string]string{
		"../../etc/passwd.csv":            "passwd.csv",
		`C:\Users\x\a.csv`:                "a.csv",
		"a\x1b[31mred.csv":                "a_[31mred.csv",
		"evil\u202Etxt.csv":               "evil_txt.csv",
		"zero\u200Bwidth.csv":             "zero_width.csv",
		"..":                              "file",
		"":                                "file",
		strings.Repeat("n", 900) + ".csv": strings.Repeat("n", 196) + ".csv",
		"ok ü 销售.csv":                     "ok ü 销售.csv",
	} {
		a := upload(t, s, s.Key, given, sales)
		if d := apitest.Into[cellwall.Dataset](t, a, 201); d.Name != want {
			t.Errorf("%q is kept as %q, want %q", given, d.Name, want)
		} else if got := s.Call(t, "GET", "/v1/datasets/"+d.ID+"/content", s.Key, ""); strings.ContainsAny(got.Header.Get("Content-Disposition"), "\x1b\r\n\u202e") {
			t.Errorf("%q comes back as %q", given, got.Header.Get("Content-Disposition"))
		}
	}
}

func TestBadInput_AFormWithControlsInItsHeadersIsRefused(t *testing.T) {
	s := apitest.Start(t)
	form := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\x1b[31m.csv\"\r\n\r\nx\n1\r\n--x--\r\n"
	demandProblem(t, "escape", s.Call(t, "POST", "/v1/datasets", s.Key, form, "Content-Type", "multipart/form-data; boundary=x"), 400, "bad_request")
}

func TestM42_AnswersAreCompressedForWhoAsks(t *testing.T) {
	s := apitest.Start(t)
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

func TestM42_RefusedCallsAreRecorded(t *testing.T) {
	s := apitest.Start(t)
	s.Keys.Limited = func(cellwall.Identity) error {
		return &cellwall.Error{Code: cellwall.CodeRateLimited, Op: "count request", Err: io.EOF, RetryAfter: 1500 * time.Millisecond}
	}
	a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`)
	demandProblem(t, "rate", a, 429, "rate_limited")
	if got := a.Header.Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After %q", got)
	}
	for range 50 {
		s.Call(t, "GET", "/v1/executions", "e2b_nothing", "")
	}
	for deadline := time.Now().Add(5 * time.Second); !strings.Contains(readRecords(t, s), "unauthenticated"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("strangers are not recorded")
		}
	}
	records := readRecords(t, s)
	if n := strings.Count(records, `"code":"unauthenticated"`); n > 5 || !strings.Contains(records, `"code":"rate_limited"`) {
		t.Errorf("%d records of 50 strangers: %s", n, records)
	}
}

func TestM42_APanicIsAProblemAndNotTheEnd(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.Environments = nil; o.Executions = broken{} })
	demandProblem(t, "panic", s.Call(t, "GET", "/v1/executions", s.Key, ""), 500, "internal")
	if a := s.Call(t, "GET", "/healthz", "", ""); a.Status != 200 {
		t.Errorf("afterwards it is %d", a.Status)
	}
}

// broken is a room with a fault.
type broken struct{ api.Background }

func (broken) Execution(context.Context, string, string) (k cellwall.KeptExecution, err error) {
	return k, err
}

func (broken) Executions(context.Context, string, cellwall.Page) ([]cellwall.KeptExecution, string, error) {
	panic("a fault at /var/lib/cellwall")
}

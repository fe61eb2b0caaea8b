package apitest

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

const sales = "region;revenue\nNord;1,5\nSüd;2,5\n"

func upload(t *testing.T, s *Service, key, name, content string, headers ...string) Answer {
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

func aDatasetIsUploadedDescribedUsedAndDeleted(t *testing.T, s *Service) {
	first := upload(t, s, s.Key, "sales.csv", sales, "Idempotency-Key", "up-1")
	d := Into[cellwall.Dataset](t, first, 201)
	if d.Delimiter != ";" || d.Decimal != "," || d.Rows != 2 || len(d.Columns) != 2 || d.Name != "sales.csv" || d.Bytes != int64(len(sales)) {
		t.Errorf("%s", first.Body)
	}
	if got := first.Header.Get("Location"); got != "/v1/datasets/"+d.ID {
		t.Errorf("Location %q", got)
	}
	again := upload(t, s, s.Key, "sales.csv", sales, "Idempotency-Key", "up-1")
	if a := Into[cellwall.Dataset](t, again, 201); a.ID != d.ID || again.Header.Get("Idempotency-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("again under its key: %s %v", again.Body, again.Header)
	}
	if a := upload(t, s, s.Key, "sales.csv", sales+"x;1\n", "Idempotency-Key", "up-1"); a.Status != 409 {
		t.Errorf("another file under the key: %d", a.Status)
	}
	if l := Into[List[Listed]](t, s.Call(t, "GET", "/v1/datasets", s.Key, ""), 200); len(l.Items) != 1 {
		t.Errorf("the list has %+v", l.Items)
	}
	got := s.Call(t, "GET", "/v1/datasets/"+d.ID, s.Key, "")
	if a := Into[cellwall.Dataset](t, got, 200); a.Rows != 2 || a.SHA256 != d.SHA256 {
		t.Errorf("%s", got.Body)
	}
	if a := s.Call(t, "GET", "/v1/datasets/"+d.ID, s.Key, "", "If-None-Match", got.Header.Get("Etag")); a.Status != 304 {
		t.Errorf("with its ETag it is %d", a.Status)
	}
	if a := s.Call(t, "GET", "/v1/datasets/"+d.ID+"/content", s.Key, ""); string(a.Body) != sales || !strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%v %q", a.Header, a.Body)
	}
	r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"float(df.revenue.sum())","datasets":["`+d.ID+`"]}`), 200)
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

func aRawBodyIsADatasetToo(t *testing.T, s *Service) {
	a := s.Call(t, "POST", "/v1/datasets", s.Key, sales, "Content-Type", "text/csv", "Content-Disposition", `attachment; filename*=UTF-8''%E9%94%80%E5%94%AE.csv`)
	if d := Into[cellwall.Dataset](t, a, 201); d.Name != "销售.csv" || d.Rows != 2 {
		t.Errorf("%s", a.Body)
	}
}

type resumable struct {
	ID             string
	Size, Received int64
	Dataset        *string
}

func anUploadIsResumed(t *testing.T, s *Service) {
	begun := s.Call(t, "POST", "/v1/uploads", s.Key, `{"name":"../../sales.csv","size":`+strconv.Itoa(len(sales))+`}`)
	u := Into[resumable](t, begun, 201)
	path := begun.Header.Get("Location")
	if path != "/v1/uploads/"+u.ID || u.Received != 0 {
		t.Fatalf("%s %v", begun.Body, begun.Header)
	}
	piece := func(offset int, text string) Answer {
		return s.Call(t, "PATCH", path, s.Key, text, "Content-Type", "application/offset+octet-stream", "Upload-Offset", strconv.Itoa(offset))
	}
	if a := piece(0, sales[:10]); a.Status != 204 || a.Header.Get("Upload-Offset") != "10" {
		t.Fatalf("the first piece: %d %v %s", a.Status, a.Header, a.Body)
	}
	DemandProblem(t, "a gap", piece(20, sales[20:]), 409, "conflict")
	DemandProblem(t, "the same piece again", piece(0, sales[:10]), 409, "conflict")
	if a := s.Call(t, "HEAD", path, s.Key, ""); a.Status != 200 || a.Header.Get("Upload-Offset") != "10" || a.Header.Get("Upload-Length") != strconv.Itoa(len(sales)) {
		t.Errorf("asked how far it is: %d %v", a.Status, a.Header)
	}
	if a := s.Call(t, "GET", path, s.Other, ""); a.Status != 404 {
		t.Errorf("another tenant sees it: %d", a.Status)
	}
	DemandProblem(t, "more than was announced", piece(10, sales[10:]+"x"), 400, "bad_request")
	d := Into[cellwall.Dataset](t, piece(10, sales[10:]), 201)
	if d.Rows != 2 || d.Name != "sales.csv" {
		t.Errorf("%+v", d)
	}
	// The answer was lost: the client asks, and sends nothing more.
	again := Into[cellwall.Dataset](t, piece(len(sales), ""), 201)
	DemandProblem(t, "something behind the end", piece(len(sales), "x"), 400, "bad_request")
	if again.ID != d.ID {
		t.Errorf("asked again it is %s, was %s", again.ID, d.ID)
	}
	if got := Into[resumable](t, s.Call(t, "GET", path, s.Key, ""), 200); got.Dataset == nil || *got.Dataset != d.ID {
		t.Errorf("%+v", got)
	}
	if a := s.Call(t, "DELETE", path, s.Key, ""); a.Status != 204 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	DemandProblem(t, "no offset", s.Call(t, "PATCH", path, s.Key, "x", "Content-Type", "application/offset+octet-stream"), 400, "bad_request")
	DemandProblem(t, "another type", s.Call(t, "PATCH", path, s.Key, "x", "Content-Type", "text/csv"), 415, "bad_request")
	DemandProblem(t, "too large", s.Call(t, "POST", "/v1/uploads", s.Key, `{"name":"x","size":1000000000000}`), 413, "too_large")
}

func namesOfUploadsAreTamed(t *testing.T, s *Service) {
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
		if d := Into[cellwall.Dataset](t, a, 201); d.Name != want {
			t.Errorf("%q is kept as %q, want %q", given, d.Name, want)
		} else if got := s.Call(t, "GET", "/v1/datasets/"+d.ID+"/content", s.Key, ""); strings.ContainsAny(got.Header.Get("Content-Disposition"), "\x1b\r\n\u202e") {
			t.Errorf("%q comes back as %q", given, got.Header.Get("Content-Disposition"))
		}
	}
}

func aFormWithControlsInItsHeadersIsRefused(t *testing.T, s *Service) {
	form := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\x1b[31m.csv\"\r\n\r\nx\n1\r\n--x--\r\n"
	DemandProblem(t, "escape", s.Call(t, "POST", "/v1/datasets", s.Key, form, "Content-Type", "multipart/form-data; boundary=x"), 400, "bad_request")
}

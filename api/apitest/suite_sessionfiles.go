package apitest

import (
	"bytes"
	"maps"
	"mime/multipart"
	"strings"
	"testing"
)

type fileView struct {
	Name  string
	Bytes int64
	Kind  string
}

// files are those of a session: name to kind and content.
func (k talk) files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range Into[List[fileView]](t, k.Call(t, "GET", k.path+"/files", k.Key, ""), 200).Items {
		all[f.Name] = f.Kind
		if f.Kind != "file" {
			continue
		}
		a := k.Call(t, "GET", k.path+"/files/"+f.Name, k.Key, "")
		if a.Status != 200 || int64(len(a.Body)) != f.Bytes || a.Header.Get("Content-Type") != octets {
			t.Errorf("%s: %d %v %s, want %d bytes", f.Name, a.Status, a.Header, a.Body, f.Bytes)
		}
		all[f.Name] = string(a.Body)
	}
	return all
}

const octets = "application/octet-stream"

func aSessionsFilesArePutReadAndRemoved(t *testing.T, s *Service) {
	k := begin(t, s, `{}`)
	put := func(name, content string) {
		t.Helper()
		a := k.Call(t, "PUT", k.path+"/files/"+name, s.Key, content, "Content-Type", octets)
		if f := Into[fileView](t, a, 201); f != (fileView{name, int64(len(content)), "file"}) {
			t.Errorf("%+v", f)
		}
	}
	put("in/a.txt", "one\n")
	put("in/a.txt", "two\n\x00") // in its place
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "../b.txt")
	if err != nil {
		t.Fatal(err)
	}
	part.Write([]byte("three"))
	w.Close()
	if f := Into[fileView](t, k.Call(t, "POST", k.path+"/files", s.Key, form.String(), "Content-Type", w.FormDataContentType()), 201); f.Name != "b.txt" {
		t.Errorf("%+v", f)
	}
	r := k.cell(t, "print(repr(open('in/a.txt').read()), open('b.txt').read()); open('c.txt', 'w').write('four')")
	if r.Stdout.Text != "'two\\n\\x00' three\n" || len(r.Artifacts) != 1 || r.Artifacts[0].Name != "c.txt" {
		t.Errorf("%q %+v %+v", r.Stdout.Text, r.Artifacts, r.Error)
	}
	if got, want := k.files(t), map[string]string{"in": "folder", "in/a.txt": "two\n\x00", "b.txt": "three", "c.txt": "four"}; !maps.Equal(got, want) {
		t.Errorf("it has %q, want %q", got, want)
	}
	if a := k.Call(t, "DELETE", k.path+"/files/b.txt", s.Key, ""); a.Status != 204 {
		t.Errorf("removing one: %d %s", a.Status, a.Body)
	}
	DemandProblem(t, "what was removed", k.Call(t, "GET", k.path+"/files/b.txt", s.Key, ""), 404, "not_found")
	DemandProblem(t, "removed again", k.Call(t, "DELETE", k.path+"/files/b.txt", s.Key, ""), 404, "not_found")
	DemandProblem(t, "a folder", k.Call(t, "GET", k.path+"/files/in", s.Key, ""), 409, "conflict")
	DemandProblem(t, "another name", k.Call(t, "PUT", k.path+"/files/"+strings.Repeat("x", 300), s.Key, "x", "Content-Type", octets), 400, "bad_request")
	k.says(t, "import os; print(sorted(os.listdir()))", "['c.txt', 'in']\n")
}

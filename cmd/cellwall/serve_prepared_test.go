package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall/internal/testkit"
)

// A dataset that was uploaded, described and used once is parsed for good: from
// then on executions find df there, until it is deleted.
func TestServe_parses_a_stored_dataset_once(t *testing.T) {
	testkit.RequireRoot(t)
	state := shortDir(t)
	linkEnvironments(t, state)
	s := serveIn(t, "cellwall", state).ready()
	id := s.upload(largeTable())
	s.rows(id)
	s.await("nothing was prepared", func() bool { return strings.Contains(s.said(), `msg="prepare dataset"`) })
	if n := s.fromTemplate(); n != 0 {
		t.Errorf("%d executions came from a template before there was one", n)
	}
	s.await("no execution comes from the template", func() bool { // the line comes just before it serves
		s.rows(id)
		return s.fromTemplate() > 0
	})
	call(t, s.local(), "DELETE", "http://local/v1/datasets/"+id, "")
	before := s.fromTemplate()
	s.rows(s.upload(largeTable()))
	if n := s.fromTemplate(); n != before {
		t.Error("the template outlived its dataset")
	}
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// largeTable takes long enough to parse, on any machine.
func largeTable() []byte {
	var text bytes.Buffer
	text.WriteString("station,depth,note\n")
	for i := range 2_000_000 {
		fmt.Fprintf(&text, "s%d,%d.5,note %d\n", i%12, i%211, i)
	}
	return text.Bytes()
}

// upload stores a file and returns its id.
func (s *served) upload(data []byte) string {
	s.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "table.csv")
	if err == nil {
		_, err = part.Write(data)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	status, text := call(s.t, s.local(), "POST", "http://local/v1/datasets", body.String(), "Content-Type", form.FormDataContentType())
	var kept struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(text), &kept); err != nil || status != http.StatusCreated {
		s.t.Fatalf("upload: %d %s, %v", status, text, err)
	}
	return kept.ID
}

// rows runs a program on a dataset, which has to find df and the file.
func (s *served) rows(id string) {
	s.t.Helper()
	const code = `print(len(df), open('/workspace/input/table.csv').read(7))`
	body, err := json.Marshal(map[string]any{"code": code, "datasets": []string{id}})
	if err != nil {
		s.t.Fatal(err)
	}
	status, text := call(s.t, s.local(), "POST", "http://local/v1/executions", string(body), "Content-Type", "application/json")
	if r := s.result(text); status != http.StatusOK || r.Stdout.Text != "10000 station\n" {
		s.t.Fatalf("execute: %d %s", status, text)
	}
}

// fromTemplate counts the records of executions whose data was prepared.
func (s *served) fromTemplate() int {
	s.t.Helper()
	return strings.Count(s.records(), `"template":"tpl_`)
}

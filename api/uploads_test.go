package api_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

// crowded has no room to describe anything while it is full.
type crowded struct {
	api.Work
	full bool
}

func (c *crowded) Describe(ctx context.Context, req cellwall.Request) (*cellwall.Result, error) {
	if c.full {
		return nil, &cellwall.Error{Code: cellwall.CodeBusy, Op: "take a turn", Err: context.DeadlineExceeded, Hint: "try again"}
	}
	return c.Work.Describe(ctx, req)
}

// A file that came whole while nothing could look into it is described by an empty
// piece, and goes with its upload when that is given up.
func TestF21_AnUploadThatNobodyCouldDescribeIsDescribedLater(t *testing.T) {
	work := &crowded{full: true}
	s := apitest.Start(t, func(o *api.Options) { work.Work, o.Work = o.Work, work })
	const text = "a,b\n1,2\n"
	begin := func() string {
		begun := s.Call(t, "POST", "/v1/uploads", s.Key, `{"name":"a.csv","size":`+strconv.Itoa(len(text))+`}`)
		return begun.Header.Get("Location")
	}
	piece := func(path string, offset int, text string) apitest.Answer {
		return s.Call(t, "PATCH", path, s.Key, text, "Content-Type", "application/offset+octet-stream", "Upload-Offset", strconv.Itoa(offset))
	}
	datasets := func() int {
		list := apitest.Into[struct{ Items []cellwall.Dataset }](t, s.Call(t, "GET", "/v1/datasets", s.Key, ""), 200)
		return len(list.Items)
	}
	path, given := begin(), begin()
	refused := piece(path, 0, text)
	apitest.DemandProblem(t, "no room to describe it", refused, 503, "busy")
	if !strings.Contains(string(refused.Body), "empty piece at its end") {
		t.Errorf("nothing says how to go on: %s", refused.Body)
	}
	apitest.DemandProblem(t, "another one", piece(given, 0, text), 503, "busy")
	if a := s.Call(t, "DELETE", given, s.Key, ""); a.Status != 204 || datasets() != 1 {
		t.Errorf("given up: %d, and %d datasets", a.Status, datasets())
	}
	work.full = false
	if d := apitest.Into[cellwall.Dataset](t, piece(path, len(text), ""), 201); d.Rows != 1 {
		t.Errorf("described later: %+v", d)
	}
	if a := s.Call(t, "DELETE", path, s.Key, ""); a.Status != 204 || datasets() != 1 {
		t.Errorf("a described one went with its upload: %d, and %d datasets", a.Status, datasets())
	}
}

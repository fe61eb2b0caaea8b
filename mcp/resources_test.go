package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

const onePixel = "\x89PNG\r\n\x1a\n pixels"

func TestM44_AResultIsTextStructurePicturesAndLinks(t *testing.T) {
	box := &scripted{state: ready(), artifacts: map[string]string{"art_png": onePixel, "art_csv": "a\n1\n", "art_big": onePixel}}
	box.run = func(context.Context, string, []byte) (Outcome, error) {
		return Outcome{Text: `{"ok":true,"n":3}`, OK: true, Artifacts: []cellwall.Artifact{
			{ID: "art_png", Name: "a.png", Type: "image", MediaType: "image/png", Bytes: int64(len(onePixel))},
			{ID: "art_csv", Name: "evil\u202e\x1b[2J.csv", Type: "table", MediaType: "text/csv", Bytes: 4, Flags: []string{"formulas"}},
			{ID: "art_big", Name: "big.png", Type: "image", MediaType: "image/png", Bytes: mostPictureBytes + 1},
			{ID: "art_svg", Name: "a.svg", Type: "image", MediaType: "image/svg+xml", Bytes: 10},
		}}, nil
	}
	_, c := connected(t, box, nil, nil)
	r := called(t, c, tools.RunPython, nil)
	raw, err := json.Marshal(r.StructuredContent)
	if err != nil || string(raw) != `{"n":3,"ok":true}` || r.Content[0].(*sdk.TextContent).Text != `{"ok":true,"n":3}` || r.IsError {
		t.Errorf("structure %s, %v", raw, err)
	}
	var links []string
	pictures := 0
	for _, content := range r.Content {
		switch content := content.(type) {
		case *sdk.ResourceLink:
			links = append(links, content.Name+" "+content.Description)
		case *sdk.ImageContent:
			pictures++
			if string(content.Data) != onePixel {
				t.Error("the picture is not what was left")
			}
		}
	}
	if got := strings.Join(links, "|"); pictures != 1 || got != "a.png image|evil��[2J.csv table (formulas)|big.png image|a.svg image" {
		t.Errorf("%d pictures, links %q", pictures, got)
	}
}

func TestM44_ArtifactsAreResources(t *testing.T) {
	box := &scripted{state: ready(), artifacts: map[string]string{"art_png": onePixel, "art_csv": "区域\n1\n", "art_bad": "a\xff", "art_long": strings.Repeat("x", mostResource+1)}}
	_, c := connected(t, box, nil, nil)
	for id, want := range map[string]string{"art_csv": "区域\n1\n", "art_png": "blob " + onePixel, "art_bad": "blob a\xff"} {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: artifactURI + id})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Contents[0].Text
		if r.Contents[0].Blob != nil {
			got = "blob " + string(r.Contents[0].Blob)
		}
		if got != want || r.CacheScope != "private" {
			t.Errorf("%s is %q, %+v", id, got, r.Cacheable)
		}
	}
	for _, uri := range []string{
		artifactURI + "art_none", artifactURI + "art_long", artifactURI, artifactURI + "../keys", artifactURI + "a/b", artifactURI + "%2e%2e",
		artifactURI + strings.Repeat("a", 65), "file:///etc/passwd", "cellwall://other", "",
	} {
		_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) {
			t.Errorf("%q: %v", uri, err)
		}
	}
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 1 {
		t.Errorf("templates %v, %v", templates, err)
	}
}

func TestM44_TheTablesAreAResource(t *testing.T) {
	box := &scripted{}
	_, c := connected(t, box, nil, nil)
	r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: tablesURI})
	if err != nil || r.Contents[0].Text != `{"ok":true}` {
		t.Fatalf("%v, %v", r, err)
	}
	if got := listed(t, c); len(got) != 3 {
		t.Errorf("the tables were read, and %v are listed", got)
	}
}

func TestM44_TheListOfArtifactsIsBounded(t *testing.T) {
	box, n := &scripted{state: ready()}, 0
	box.run = func(context.Context, string, []byte) (Outcome, error) {
		o := Outcome{Text: `{"ok":true}`, OK: true}
		for range mostLinks * 3 {
			n++
			o.Artifacts = append(o.Artifacts, cellwall.Artifact{ID: fmt.Sprint("art_", n), Name: "x"})
		}
		return o, nil
	}
	_, c := connected(t, box, nil, nil)
	for range 6 {
		if r := called(t, c, tools.RunPython, nil); len(r.Content) != mostLinks+1 {
			t.Errorf("%d parts in an answer", len(r.Content))
		}
	}
	l, err := c.ListResources(t.Context(), nil)
	if err != nil || len(l.Resources) != mostListed+1 {
		t.Errorf("%d are listed, %v", len(l.Resources), err)
	}
}

// waitingBox is a toolbox whose artifacts and prompts come when they are let.
type waitingBox struct {
	*scripted
	began chan struct{}
	let   chan struct{}
}

func (b waitingBox) hold(ctx context.Context) {
	b.began <- struct{}{}
	select {
	case <-b.let:
	case <-ctx.Done():
	}
}

func (b waitingBox) Open(ctx context.Context, id string) (cellwall.Artifact, io.ReadCloser, error) {
	b.hold(ctx)
	return b.scripted.Open(ctx, id)
}

func TestM44_ReadsAndPromptsTakeThePlacesOfCalls(t *testing.T) {
	box := waitingBox{&scripted{state: ready(), artifacts: map[string]string{"art_a": "1"}}, make(chan struct{}, 2*mostCalls), make(chan struct{})}
	_, c := connected(t, box.scripted, func(o *Options) { o.Toolbox = box }, nil)
	read := func() error {
		_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: artifactURI + "art_a"})
		return err
	}
	ended := make(chan error, mostCalls)
	for range mostCalls {
		go func() { ended <- read() }()
	}
	for range mostCalls {
		soon(t, "a read begins", box.began)
	}
	if err := read(); err == nil || !strings.Contains(err.Error(), "wait for their answers") {
		t.Errorf("one more read: %v", err)
	}
	if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: promptName}); err == nil || !strings.Contains(err.Error(), "wait for their answers") {
		t.Errorf("one more prompt: %v", err)
	}
	close(box.let)
	for range mostCalls {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err := read(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestM44_AllClientsOfAServerShareTheReadsThatItMakes(t *testing.T) {
	boxes := make(chan waitingBox, 2)
	h := NewHTTP(HTTPOptions{Begin: func(context.Context, Caller, *http.Request) (Options, func(), error) {
		b := waitingBox{&scripted{state: ready(), artifacts: map[string]string{"art_a": "1"}}, make(chan struct{}, mostCalls), make(chan struct{})}
		boxes <- b
		return Options{Toolbox: b}, func() {}, nil
	}})
	defer h.Close()
	h.reads = make(chan struct{}, 1)
	read := func(one *client) chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := one.session.readArtifact(t.Context(), &sdk.ReadResourceRequest{Params: &sdk.ReadResourceParams{URI: artifactURI + "art_a"}})
			ended <- err
		}()
		return ended
	}
	var clients []*client
	for _, key := range []string{"a", "b"} {
		one, err := h.begin(httptest.NewRequest("POST", "/mcp", nil), Caller{Tenant: key, Owner: key}, key, false)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, one)
	}
	first, second := <-boxes, <-boxes
	a := read(clients[0])
	soon(t, "the first read begins", first.began)
	b := read(clients[1])
	select {
	case <-second.began:
		t.Error("another client's read goes on beside it")
	case <-time.After(50 * time.Millisecond):
	}
	close(second.let)
	close(first.let)
	if err := errors.Join(<-a, <-b); err != nil {
		t.Error(err)
	}
}

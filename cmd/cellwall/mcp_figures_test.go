package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall/internal/testkit"
)

// Nothing of these is saved by the program.
const (
	showsAFigure = "plt.plot([1, 2]); plt.show()"
	leavesOpen   = "plt.plot([1, 2]); open('figure_3.png', 'w').write('mine')"
)

func TestM44_OverLines_WhatIsShownComesAsAPicture(t *testing.T) {
	out := t.TempDir()
	c := startMCP(t, func(v *mcpVerb) { v.Out = out })
	c.call("inspect_data", nil)
	c.call("make_chart", map[string]any{"kind": "bar", "x": "区域"})
	for i, code := range []string{showsAFigure, showsAFigure, leavesOpen} {
		name := []string{"figure_1.png", "figure_2.png", "figure_4.png"}[i]
		r := c.call("run_python", map[string]any{"code": code, "purpose": "p"})
		pictures, uri := 0, ""
		for _, content := range r.Result.Content {
			switch {
			case content.Type == "image" && content.MimeType == "image/png" && len(content.Data) > 1000:
				pictures++
			case content.Type == "resource_link" && content.Name == name:
				uri = content.URI
			}
		}
		if pictures != 1 || uri == "" {
			t.Fatalf("%s: %d pictures in %.2000v", code, pictures, r)
		}
		read, _ := c.ask("resources/read", map[string]any{"uri": uri})
		if len(read.Result.Contents) != 1 || len(read.Result.Contents[0].Blob) < 1000 {
			t.Errorf("%s as a resource: %.300v", name, read)
		}
		if saved, err := os.ReadFile(filepath.Join(out, name)); err != nil || !bytes.HasPrefix(saved, []byte("\x89PNG")) {
			t.Errorf("%s is saved as %.20q, %v", name, saved, err)
		}
	}
}

func TestM44_OverHTTP_WhatIsShownComesAsAPicture(t *testing.T) {
	testkit.RequireRoot(t)
	s := realService(t)
	var live struct{ ID string }
	key := withKey{makeKey(t, s, "acme", "execute"), "X-API-Key"}
	s.post("/v1/sessions", `{}`, 201, &live, "X-API-Key", key.key)
	other, err := clientOf(t, s, withKey{makeKey(t, s, "other", "execute"), "X-API-Key"}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "?session=" + live.ID} {
		c, err := clientOf(t, s, key, query)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.CallTool(t.Context(), pythonOver(showsAFigure))
		if err != nil || r.IsError || len(r.Content) != 3 {
			t.Fatalf("%q: %+v, %v", query, r, err)
		}
		picture, ok := r.Content[1].(*sdk.ImageContent)
		link, linked := r.Content[2].(*sdk.ResourceLink)
		if !ok || !linked || link.Name != "figure_1.png" || !bytes.HasPrefix(picture.Data, []byte("\x89PNG")) {
			t.Fatalf("%q: %+v", query, r.Content)
		}
		read, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: link.URI})
		if err != nil || !bytes.Equal(read.Contents[0].Blob, picture.Data) {
			t.Errorf("%q: as a resource it is another: %v", query, err)
		}
		for who, ask := range map[*sdk.ClientSession]string{other: link.URI, c: strings.Replace(link.URI, "_figure_1", "_figure_2", 1)} {
			if _, err := who.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: ask}); err == nil || !strings.Contains(err.Error(), "not found") {
				t.Errorf("%s: %v", ask, err)
			}
		}
	}
}

func TestM6_WhatIsShownIsSavedWithTheAnswer(t *testing.T) {
	out := t.TempDir()
	s := script(t, said{calls: []string{`run_python {"code":"` + showsAFigure + `","purpose":"p"}`}}, said{text: "Drawn."})
	a := askIt(t, s, func(v *askVerb) { v.Data, v.Out, v.Question = nil, out, "draw a line" })
	if len(a.Artifacts) != 1 || a.Artifacts[0].SavedTo != filepath.Join(out, "figure_1.png") {
		t.Fatalf("artifacts %+v", a.Artifacts)
	}
	if saved, err := os.ReadFile(a.Artifacts[0].SavedTo); err != nil || !bytes.HasPrefix(saved, []byte("\x89PNG")) {
		t.Errorf("%.20q, %v", saved, err)
	}
}

// What code calls a picture is none by that.
func TestP7_AFigureIsWhatItsBytesSay(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n…")
	for what, row := range map[string]struct {
		media   string
		content []byte
		want    bool
	}{
		"a PNG":          {"image/png", png, true},
		"a page":         {"image/png", []byte("<html><script>"), false},
		"a PNG as JPEG":  {"image/jpeg", png, false},
		"nothing at all": {"image/png", nil, false},
	} {
		if _, ok := (shownFigure{"figure_1.png", row.media, row.content}).artifact("a"); ok != row.want {
			t.Errorf("%s: taken %v", what, ok)
		}
	}
}

package mcp

import (
	"context"
	"fmt"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

// What is shown is seen once: a program that has saved as many pictures has saved it.
func TestM44_AFigureIsSeenOnce(t *testing.T) {
	box := &scripted{state: ready(), artifacts: map[string]string{}}
	for i := range 8 {
		box.artifacts[fmt.Sprint("art_", i)] = onePixel
	}
	for name, row := range map[string]struct{ saved, shown, pictures int }{
		"shown only":            {0, 2, 2},
		"saved only":            {2, 0, 2},
		"saved and shown":       {1, 1, 1},
		"two shown, one saved":  {1, 2, 3},
		"more than are given":   {0, 6, mostPictures},
		"many saved, one shown": {3, 1, 3},
	} {
		files := make([]cellwall.Artifact, row.saved+row.shown)
		for i := range files {
			files[i] = cellwall.Artifact{ID: fmt.Sprint("art_", i), Name: fmt.Sprint(i, ".png"), Type: "image", MediaType: "image/png", Bytes: int64(len(onePixel))}
		}
		box.run = func(context.Context, string, []byte) (Outcome, error) {
			return Outcome{Text: `{"ok":true}`, OK: true, Artifacts: files[:row.saved], Figures: files[row.saved:]}, nil
		}
		_, c := connected(t, box, nil, nil)
		pictures, links := 0, 0
		for _, content := range called(t, c, tools.RunPython, nil).Content {
			switch content.(type) {
			case *sdk.ImageContent:
				pictures++
			case *sdk.ResourceLink:
				links++
			}
		}
		if pictures != row.pictures || links != len(files) {
			t.Errorf("%s: %d pictures, %d links", name, pictures, links)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/cellwall/cellwall"
)

// pictures are the displayed values that can be saved as files.
var pictures = map[string]string{"image/png": "png", "image/jpeg": "jpg"}

// shownFigure is a picture that code has shown, in no file of its own.
type shownFigure struct {
	name    string
	media   string // as the code says
	content []byte
}

// figuresOf are the pictures that a result shows. They are numbered on from those before
// it, and none is called as a file that the code left.
func figuresOf(r *cellwall.Result, before int) (all []shownFigure, last int) {
	for _, rich := range r.Results {
		for _, media := range []string{"image/png", "image/jpeg"} {
			content, ok := picture(rich, media)
			if !ok {
				continue
			}
			f := shownFigure{media: media, content: content}
			for f.name == "" || slices.ContainsFunc(r.Artifacts, func(a cellwall.Artifact) bool { return a.Name == f.name }) {
				before++
				f.name = fmt.Sprintf("figure_%d.%s", before, pictures[media])
			}
			all = append(all, f)
		}
	}
	return all, before
}

// artifact is the figure as a file is told of. It is none whose first bytes are not those
// of a picture of that kind; nothing of ours looks further into it.
func (f shownFigure) artifact(id string) (a cellwall.Artifact, ok bool) {
	if http.DetectContentType(f.content) != f.media {
		return a, false
	}
	return cellwall.Artifact{ID: id, Name: f.name, Path: f.name, Type: "image", MediaType: f.media, Bytes: int64(len(f.content))}, true
}

// figureKeeper keeps what the programs of a conversation at the command line show, beside
// what they leave.
type figureKeeper struct {
	house *house
	kept  int
}

func (k *figureKeeper) keep(ctx context.Context, r *cellwall.Result) (all []cellwall.Artifact, err error) {
	figures, last := figuresOf(r, k.kept)
	for _, f := range figures {
		a, ok := f.artifact(cellwall.NewID(cellwall.PrefixArtifact))
		if !ok {
			continue
		}
		stored, err := k.house.artifacts.Put(context.WithoutCancel(ctx), bytes.NewReader(f.content))
		if err != nil {
			return nil, err
		}
		a.SHA256 = stored.SHA256
		all = append(all, a)
	}
	k.kept = last
	return all, nil
}

// picture decodes the picture of a displayed value. The content is the code's
// own: it is not looked at.
func picture(r cellwall.Rich, mime string) ([]byte, bool) {
	var text string
	if raw, ok := r.Data[mime]; !ok || json.Unmarshal(raw, &text) != nil {
		return nil, false
	}
	content, err := base64.StdEncoding.DecodeString(text)
	return content, err == nil && len(content) > 0
}

// countPictures tells how many displayed figures a result has.
func countPictures(r *cellwall.Result) (n int) {
	for _, rich := range r.Results {
		for mime := range pictures {
			if _, ok := rich.Data[mime]; ok {
				n++
			}
		}
	}
	return n
}

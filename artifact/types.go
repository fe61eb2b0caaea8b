package artifact

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// headerBytes is how much of a file decides its type.
const headerBytes = 3072

// kind is what a file was recognised as.
type kind struct {
	media   string
	content string         // what it looks like, whatever its name says
	word    string         // image table document data text archive
	rows    func() counter // counts its rows; nil when it has none to count
	plain   bool           // text in an encoding without NUL bytes
}

// The words of Artifact.Type by media type: the allow-list.
var words = map[string]string{
	"image/png": "image", "image/jpeg": "image", "image/gif": "image", "image/webp": "image",
	"image/bmp": "image", "image/tiff": "image", "image/svg+xml": "image",
	mediaCSV: "table", mediaTSV: "table",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "table",
	"application/vnd.apache.parquet":                                    "table",
	"application/pdf":                                                   "document", mediaHTML: "document", mediaMarkdown: "document",
	mediaJSON: "data", mediaJSONLines: "data", "application/geo+json": "data", "text/xml": "data",
	mediaText: "text",
}

// The archives, taken only when the tenant allows them.
var archives = map[string]bool{
	"application/zip": true, "application/gzip": true, "application/x-tar": true,
}

const (
	mediaText      = "text/plain"
	mediaCSV       = "text/csv"
	mediaTSV       = "text/tab-separated-values"
	mediaJSON      = "application/json"
	mediaJSONLines = "application/x-ndjson"
	mediaHTML      = "text/html"
	mediaMarkdown  = "text/markdown"
)

// byExtension is the tie-break among kinds of text.
var byExtension = map[string]string{
	".csv": mediaCSV, ".tsv": mediaTSV, ".txt": mediaText, ".log": mediaText, ".md": mediaMarkdown,
	".json": mediaJSON, ".jsonl": mediaJSONLines, ".ndjson": mediaJSONLines, ".html": mediaHTML, ".htm": mediaHTML,
}

// classify names the type of content that begins with header.
func classify(name string, header []byte, allowArchives bool) (kind, error) {
	found := mimetype.Detect(header)
	content, _, _ := strings.Cut(found.String(), ";")
	media, text := content, isText(found)
	if text {
		media = textKind(content, strings.ToLower(path.Ext(name)))
	}
	if word, ok := words[media]; ok {
		return kind{media: media, content: content, word: word, rows: counterOf(media, content), plain: text && bytes.IndexByte(header, 0) < 0}, nil
	}
	if archives[media] && allowArchives {
		return kind{media: media, word: "archive"}, nil
	}
	if media == "application/octet-stream" {
		return kind{}, refusal("type is not known, so it is not allowed")
	}
	return kind{}, refusal(fmt.Sprintf("type %s is not allowed", media))
}

func isText(m *mimetype.MIME) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is(mediaText) {
			return true
		}
	}
	return false
}

// textKind lets the name choose among kinds of text, except where the content
// may carry scripts: a page that calls itself a table stays a page.
func textKind(content, extension string) string {
	if Active(content) {
		return content
	}
	if media, ok := byExtension[extension]; ok {
		return media
	}
	if _, ok := words[content]; ok {
		return content
	}
	return mediaText
}

// Active reports whether a browser that shows this media type may run what is
// in it. Serve such a file as a download, never inline.
func Active(media string) bool {
	switch media {
	case mediaHTML, "image/svg+xml", "text/xml", "application/xhtml+xml", "application/pdf":
		return true
	}
	return false
}

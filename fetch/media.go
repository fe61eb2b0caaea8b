package fetch

import (
	"bytes"
	"mime"
	"path"
	"strings"
)

// endings are the types that data comes as, each with what its name ends in; ""
// says nothing of the format, which is found out inside the wall as ever.
var endings = map[string]string{
	"text/csv": ".csv", "application/csv": ".csv", "text/x-csv": ".csv", "text/tab-separated-values": ".tsv", "text/plain": "",
	"application/json": ".json", "text/json": ".json", "application/geo+json": ".json", "application/ld+json": ".json",
	"application/x-ndjson": ".jsonl", "application/ndjson": ".jsonl", "application/jsonl": ".jsonl", "application/json-lines": ".jsonl",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx", "application/vnd.ms-excel": "",
	"application/vnd.apache.parquet": ".parquet", "application/parquet": ".parquet", "application/x-parquet": ".parquet",
	"application/gzip": ".gz", "application/x-gzip": ".gz", "application/octet-stream": "", "binary/octet-stream": "",
	"application/force-download": "", "application/download": "", "application/x-download": "",
}

// accepted is what a host is asked for.
const accepted = "text/csv, application/json, application/x-ndjson, text/tab-separated-values, application/vnd.apache.parquet, " +
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, application/octet-stream;q=0.9, text/plain;q=0.8"

// mediaOf is the type that a header says, in lower case; one that says none is any.
func mediaOf(header string) (string, bool) {
	if header == "" {
		return "application/octet-stream", true
	}
	media, _, err := mime.ParseMediaType(header)
	if err != nil {
		return "", false
	}
	_, ok := endings[media]
	return media, ok
}

// page reports whether bytes begin a page that is shown to people: a login, an error.
func page(head []byte) bool {
	head = bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

// nameFor is what a file is called: as in its address, with an ending that says
// what its host says of it where it has none.
func nameFor(t target, media string) string {
	name := path.Base(t.url.Path)
	if name == "." || name == "/" {
		name = t.name
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".geojson", ".xlsx", ".parquet", ".gz":
		return name
	}
	return name + endings[media]
}

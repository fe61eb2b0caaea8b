package api

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// compressAbove is the size from which an answer is worth compressing, in bytes.
const compressAbove = 1400

// compressed compresses text for those who accept it. Streams of events must
// not wait for a block to be full, and files are served as they are.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.EnableZstd(false), gzhttp.MinSize(compressAbove), gzhttp.CompressionLevel(1), gzhttp.SuffixETag("-gzip"),
		gzhttp.ContentTypes([]string{"application/json", "application/problem+json", "application/x-ndjson", "text/html", "text/plain"}),
	)
	if err != nil {
		panic("api: " + err.Error()) // the options are constants
	}
	return wrap(next)
}

// uncompressed keeps an answer as it is: ranges and lengths of files must hold.
func uncompressed(w http.ResponseWriter) { w.Header().Set(gzhttp.HeaderNoCompression, "yes") }

package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// etag names content by its hash.
func etag(content ...[]byte) string {
	h := sha256.New()
	for _, c := range content {
		h.Write(c)
	}
	return `"` + hex.EncodeToString(h.Sum(nil)[:16]) + `"`
}

// fresh sets the ETag, and answers 304 when the caller has this content already.
func fresh(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header().Set("Etag", tag)
	if !noneMatch(r.Header.Get("If-None-Match"), tag) {
		return false
	}
	w.Header().Del("Content-Type")
	w.WriteHeader(http.StatusNotModified)
	return true
}

// noneMatch compares weakly, as RFC 9110 wants it of If-None-Match: what gzip
// made of the same content is the same.
func noneMatch(header, tag string) bool {
	for _, given := range strings.Split(header, ",") {
		given = strings.TrimSpace(given)
		if given == "*" || bare(given) == bare(tag) {
			return true
		}
	}
	return false
}

// bare is a tag without what does not count: W/, quotes, and the suffix of a
// compressed copy.
func bare(tag string) string {
	return strings.TrimSuffix(strings.Trim(strings.TrimPrefix(tag, "W/"), `"`), "-gzip")
}

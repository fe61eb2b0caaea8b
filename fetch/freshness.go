package fetch

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// mostFresh is how long an answer is given out without asking again, whatever its
// host says.
const mostFresh = 24 * time.Hour

// freshness is how long an answer may be given out as it is, and whether it may be
// kept at all.
func freshness(h http.Header) (fresh time.Duration, keep bool) {
	again := h.Get("Etag") != "" || h.Get("Last-Modified") != "" // it can be asked whether it is the same
	if h.Get("Vary") == "*" {
		return 0, false
	}
	for directive := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Cache-Control"), ",")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store":
			return 0, false
		case "no-cache":
			return 0, again
		case "max-age":
			if s, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31); err == nil {
				fresh = min(time.Duration(s)*time.Second, mostFresh)
			}
		}
	}
	if age, err := strconv.ParseUint(h.Get("Age"), 10, 31); err == nil {
		fresh = max(0, fresh-time.Duration(age)*time.Second)
	}
	return fresh, fresh > 0 || again
}

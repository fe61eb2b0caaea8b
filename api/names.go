package api

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cellwall/cellwall/internal/visible"
)

// maxName is the length of a file's name, in bytes.
const maxName = 200

// safeName makes a name that can stand below a directory, in a header and on a
// screen from whatever a client calls its file: no folder, nothing that acts or
// hides (O112, F21), not too long.
func safeName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || visible.Acts(r) || !visible.Shows(r) && !unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return '_'
		}
		return r
	}, name)
	if len(name) > maxName {
		name = shortName(name)
	}
	if name = strings.TrimSpace(name); strings.Trim(name, ".") == "" {
		return "file"
	}
	return name
}

// shortName cuts a name before its ending, which says how it is read.
func shortName(name string) string {
	ending := ""
	if at := strings.LastIndexByte(name, '.'); at > 0 && len(name)-at <= 16 {
		name, ending = name[:at], name[at:]
	}
	for name = name[:min(len(name), maxName-len(ending))]; !utf8.ValidString(name); {
		name = name[:len(name)-1]
	}
	return name + ending
}

// disposition makes the browser save a file under its name, whatever the name
// holds: RFC 6266, with a plain copy for old clients.
func disposition(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%;`, r) {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + plain + `"; filename*=UTF-8''` + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
}

// nameOf returns the name in a request's Content-Disposition; "" when it has
// none that can be read.
func nameOf(h http.Header) string {
	_, params, err := mime.ParseMediaType(h.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["filename"]
}

// lastPart is a name without the folders of an artifact.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

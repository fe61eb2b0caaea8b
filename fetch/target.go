package fetch

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/cellwall/cellwall"
)

// target is an address that is well formed. Whether it is allowed is another matter.
type target struct {
	url  *url.URL // as it is asked for: no user, no fragment, the name in lower case
	name string   // of the host, in lower case, without a dot behind it
	port string
}

const maxURL = 2048

// readTarget reads an address strictly: where two readers could see two hosts,
// there is none.
func readTarget(text string) (t target, err error) {
	if len(text) > maxURL {
		return t, malformed(fmt.Sprintf("it is longer than %d bytes", maxURL))
	}
	for _, r := range text {
		if r <= ' ' || r == 0x7f || r == '\\' || r == '\uFFFD' || r >= 0x80 && r < 0xa1 {
			return t, malformed("it holds a space, a backslash or a control character")
		}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return t, malformed("it is no address") // without the text: it may hold anything
	case u.Scheme != "https" && u.Scheme != "http":
		return t, malformed("it begins with neither https:// nor http://")
	case u.Opaque != "" || u.Host == "":
		return t, malformed("it names no host")
	case u.User != nil:
		return t, malformed("it holds a user or a password, or an @ before the path")
	}
	t.port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	if port := u.Port(); port != "" {
		if t.port, err = portOf(port); err != nil {
			return t, malformed(err.Error())
		}
	} else if strings.HasSuffix(u.Host, ":") {
		return t, malformed("it ends in a colon without a port")
	}
	if t.name, err = nameOf(u.Hostname()); err != nil {
		return t, malformed(err.Error())
	}
	asked := url.URL{Scheme: u.Scheme, Host: t.name, Path: u.Path, RawPath: u.RawPath, RawQuery: ascii(u.RawQuery)}
	if port := u.Port(); port != "" {
		asked.Host += ":" + port
	}
	if asked.Path == "" {
		asked.Path = "/"
	}
	t.url = &asked
	return t, nil
}

// label is one part of a host's name.
var label = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)

// nameOf reads the name of a host: letters, digits and hyphens, in whatever case,
// and never an address, however it is written: a last label of digits, or of 0x and
// digits, is one to some reader.
func nameOf(text string) (string, error) {
	name := strings.ToLower(strings.TrimSuffix(text, "."))
	if name == "" || len(name) > 253 {
		return "", errors.New("it names no host")
	}
	for i := range len(name) {
		if name[i] >= 0x80 {
			return "", errors.New("its host is not ASCII: write it in Punycode (xn--…)")
		}
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if !label.MatchString(l) {
			return "", errors.New("its host is no name: an address, or an odd character")
		}
	}
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return "", errors.New("its host is an address: only names are fetched from")
	}
	return name, nil
}

// ascii encodes what a query holds beyond ASCII.
func ascii(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func malformed(why string) error {
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "read address", Err: errors.New(why), Hint: "give https://, a host that is allowed, and a path",
	}
}

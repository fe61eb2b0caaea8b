package mask

import (
	"bytes"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// domains are the bytes that a domain may hold here.
var domains = func() (t [256]bool) {
	for c := range 128 {
		t[c] = alphanumeric(byte(c)) || c == '-' || c == '.'
	}
	return t
}()

// domain returns where the domain ends that begins at i, 0 when there is none, and
// whether it was longer until a number in it was masked.
func (s *scanner) domain(i int) (after int, cut bool) {
	end := i
	for end < len(s.text) && end-i <= maxDomain && domains[s.text[end]] {
		end++
	}
	cut = s.starAt(end)
	if s.short {
		return 0, false
	}
	domain := whole(s.text[i:end])
	if len(domain) > maxDomain || !s.known(domain) {
		return 0, false
	}
	return i + len(domain), cut
}

// whole drops from the end of a domain what belongs to the text around it: com.13 and
// com-2024 are com.
func whole(text []byte) []byte {
	if at := bytes.Index(text, []byte("..")); at >= 0 {
		text = text[:at]
	}
	for {
		for n := len(text) - 1; n >= 0 && (text[n] == '.' || text[n] == '-'); n-- {
			text = text[:n]
		}
		dot := bytes.LastIndexByte(text, '.')
		label := text[dot+1:]
		switch hyphen := bytes.IndexByte(label, '-'); {
		case len(label) == 0 || dot < 0:
			return text
		case !letter(label[0]):
			text = text[:dot]
		case hyphen > 0 && !bytes.HasPrefix(label, []byte("xn--")):
			text = text[:dot+1+hyphen]
		default:
			return text
		}
	}
}

// inside are the last labels of networks that the public does not see.
const inside = " internal local localdomain lan intranet corp home test example invalid "

// labels remembers of the last labels of domains whether they are listed: most
// domains end alike.
type labels map[string]bool

// maxLabels is how many are remembered.
const maxLabels = 64

// known reports whether a domain ends in a label that is given out, or in one of
// those that are used inside.
func (s *scanner) known(domain []byte) bool {
	dot := bytes.LastIndexByte(domain, '.')
	if dot <= 0 || dot+1 == len(domain) || !alphanumeric(domain[0]) {
		return false
	}
	return s.labels.listed(domain[dot+1:])
}

func (l labels) listed(label []byte) bool {
	known, met := l[string(label)]
	if !met {
		if len(l) == maxLabels {
			clear(l)
		}
		text := string(label)
		known = listed(strings.ToLower(text))
		l[text] = known
	}
	return known
}

// listed reports whether a label is given out, or used inside.
func listed(label string) bool {
	if strings.Contains(inside, " "+label+" ") {
		return true
	}
	_, public := publicsuffix.PublicSuffix(label)
	return public
}

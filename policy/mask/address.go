package mask

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// locals are the bytes that the part before an @ may hold here. Others that RFC 5321
// allows are what stands around an address in programs.
var locals = func() (t [256]bool) {
	for c := range 128 {
		t[c] = alphanumeric(byte(c)) || strings.IndexByte(".!#$%&'*+-=^_~", byte(c)) >= 0
	}
	return t
}()

// address decides about the @ at i and returns where to go on.
func (s *scanner) address(i int) int {
	start := s.local(i)
	if start == i {
		return i + 1
	}
	end, cut := s.domain(i + 1)
	local := s.text[start:i]
	masked := hidden(local)
	if end == 0 || s.short || cut && !masked || s.inURL(start) {
		return i + 1
	}
	if string(local) == "git" {
		return end
	}
	if !masked {
		if len(local) > 1 && letter(local[0]) {
			local = local[1:]
		}
		for k := range local {
			local[k] = '*'
		}
		s.count(Email)
	}
	s.last = end
	return end
}

// hidden reports whether a local part is masked already.
func hidden(local []byte) bool {
	return strings.Trim(string(local[1:]), "*") == "" && (len(local) > 1 || local[0] == '*')
}

// runStart is where the bytes of a local part begin that end at i; i when there are
// too many of them.
func (s *scanner) runStart(i int) int {
	start := i
	for start > 0 && locals[s.text[start-1]] {
		if start--; i-start > maxLocal {
			return i
		}
	}
	return start
}

// local is where the local part begins that ends at i, without what only stands
// before it: quotes, escapes, a key and its =.
func (s *scanner) local(i int) int {
	start := s.runStart(i)
	if end := s.escape(start + 1); start > 0 && s.text[start-1] == '\\' && end > start {
		start = min(end, i)
	}
	within := false // what follows is an address within this one
	for at := i - 1; at > start; at-- {
		switch s.text[at] {
		case '\'':
			if !letter(s.text[at-1]) || prefixed(s.text[start:at]) {
				return s.trimmed(at+1, i)
			}
		case '=': // key=address, or an address within one
			if within || !s.known(string(s.text[at+1:i])) {
				return s.trimmed(at+1, i)
			}
			within = true
		}
	}
	return s.trimmed(start, i)
}

// prefixed reports whether text is what Python writes before the quote of bytes.
func prefixed(text []byte) bool { return len(text) == 1 && strings.IndexByte("bBrRuUfF", text[0]) >= 0 }

// trimmed drops what no address begins with.
func (s *scanner) trimmed(start, end int) int {
	for start < end && !alphanumeric(s.text[start]) && s.text[start] != '*' {
		start++
	}
	return start
}

// domain returns where the domain ends that begins at i, 0 when there is none, and
// whether it was longer until a number in it was masked.
func (s *scanner) domain(i int) (after int, cut bool) {
	end := i
	for c := s.at(end); alphanumeric(c) || c == '-' || c == '.'; c = s.at(end) {
		if end++; end-i > maxDomain {
			break
		}
	}
	cut = s.starAt(end)
	if s.short {
		return 0, false
	}
	domain := whole(string(s.text[i:end]))
	if len(domain) > maxDomain || !s.known(domain) {
		return 0, false
	}
	return i + len(domain), cut
}

// whole drops from the end of a domain what belongs to the text around it: com.13 and
// com-2024 are com.
func whole(text string) string {
	text, _, _ = strings.Cut(text, "..")
	for {
		text = strings.TrimRight(text, ".-")
		dot := strings.LastIndexByte(text, '.')
		label := text[dot+1:]
		switch hyphen := strings.IndexByte(label, '-'); {
		case label == "" || dot < 0:
			return text
		case !letter(label[0]):
			text = text[:dot]
		case hyphen > 0 && !strings.HasPrefix(label, "xn--"):
			text = text[:dot+1+hyphen]
		default:
			return text
		}
	}
}

// inside are the last labels of networks that the public does not see.
const inside = " internal local localdomain lan intranet corp home test example invalid "

// known reports whether a domain ends in a label that is given out, or in one of
// those that are used inside.
func (s *scanner) known(domain string) bool {
	domain = strings.ToLower(domain)
	dot := strings.LastIndexByte(domain, '.')
	if dot <= 0 || !letter(domain[0]) && (domain[0] < '0' || domain[0] > '9') {
		return false
	}
	if label := domain[dot+1:]; label != s.label {
		s.label, s.listed = label, strings.Contains(inside, " "+label+" ")
		if !s.listed {
			_, s.listed = publicsuffix.PublicSuffix(label)
		}
	}
	return s.listed
}

// inURL reports whether what begins at i is the user in an address of a server.
func (s *scanner) inURL(i int) bool {
	if s.at(i-1) == ':' { // of the user's secret
		for i--; i > 0 && locals[s.text[i-1]]; i-- {
			if s.text[i-1] == '@' {
				return false
			}
		}
	}
	return s.at(i-1) == '/' && s.at(i-2) == '/' && s.at(i-3) == ':'
}

// inAddress reports whether digits that end at i belong to the local part of an address.
func (s *scanner) inAddress(i int) bool {
	for k := range maxLocal {
		c := s.at(i + k)
		if c == '@' {
			end, cut := s.domain(i + k + 1)
			start := s.local(i + k)
			return start < i && end > 0 && !cut && !s.inURL(start)
		}
		if c == 0 || !locals[c] {
			return false
		}
	}
	return false
}

package mask

import "strings"

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
	start, long := s.local(i)
	if start == i {
		return i + 1
	}
	before := start
	if long {
		before = s.userStart(start)
	}
	end, cut := s.domain(i + 1)
	local := s.text[start:i]
	masked := hidden(local)
	if end == 0 || s.short || cut && !masked || s.inURL(before) {
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
		s.found[anEmail]++
	}
	s.last = end
	return end
}

// hidden reports whether a local part is masked already.
func hidden(local []byte) bool {
	for _, c := range local[1:] {
		if c != '*' {
			return false
		}
	}
	return len(local) > 1 || local[0] == '*'
}

// runStart is where the bytes of a local part begin that end at i, and whether there
// are more before it than may be: an address that ends such a token is hidden all the
// same, without what cannot be its own.
func (s *scanner) runStart(i int) (start int, long bool) {
	for start = i; start > 0 && locals[s.text[start-1]]; start-- {
		if i-start == maxLocal {
			return start, true
		}
	}
	return start, false
}

// userStart is where the token begins that goes on at i, or as far as is looked back.
func (s *scanner) userStart(i int) int {
	for least := i - (maxDomain - maxLocal); i > max(least, 0) && locals[s.text[i-1]]; i-- {
	}
	return i
}

// local is where the local part begins that ends at i, without what only stands
// before it: quotes, escapes, a key and its =. long says that the token is longer.
func (s *scanner) local(i int) (start int, long bool) {
	start, long = s.runStart(i)
	if start > 0 && s.text[start-1] == '\\' {
		start = min(max(start, s.escape(start+1)), i)
	}
	within := false // what follows is an address within this one
	for at := i - 1; at > start; at-- {
		switch s.text[at] {
		case '\'':
			if !letter(s.text[at-1]) || prefixed(s.text[start:at]) {
				return s.trimmed(at+1, i), false
			}
		case '=': // key=address, or an address within one
			if within || !s.known(s.text[at+1:i]) {
				return s.trimmed(at+1, i), false
			}
			within = true
		}
	}
	return s.trimmed(start, i), long
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

// inURL reports whether what begins at i is the user in an address of a server, with
// a name that can be looked back at.
func (s *scanner) inURL(i int) bool {
	if s.at(i-1) == ':' { // of the user's secret
		least := i - maxDomain
		for i--; i > max(least, 0) && locals[s.text[i-1]]; i-- {
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
			start, long := s.local(i + k)
			return start < i && !long && end > 0 && !cut && !s.inURL(start)
		}
		if c == 0 || !locals[c] {
			return false
		}
	}
	return false
}

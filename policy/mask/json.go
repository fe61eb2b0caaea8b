package mask

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

const quoteMark = `"`

// JSON masks the texts in valid JSON, keys too, which stays valid. With numbers it
// masks these as well: one that is hidden becomes a text of the same length, its quotes
// in the place of two stars.
func (p *Pass) JSON(raw []byte, numbers bool) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		end := i + 1
		switch c := raw[i]; {
		case c == '"':
			end = stringEnd(raw, i)
			out = append(out, p.quoted(raw[i:end])...)
		case numbers && (c == '-' || c >= '0' && c <= '9'):
			for end < len(raw) && bytes.IndexByte([]byte("0123456789+-.eE"), raw[end]) >= 0 {
				end++
			}
			out = append(out, p.bare(raw[i:end])...)
		default:
			out = append(out, c)
		}
		i = end
	}
	return out
}

// stringEnd returns where the text ends that begins at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// quoted masks a text. Escapes that hide a character of ASCII are undone first.
func (p *Pass) quoted(text []byte) []byte {
	if n := len(text); n > 1 && bytes.IndexByte(text, '\\') < 0 {
		return []byte(quoteMark + p.Text(string(text[1:n-1])) + quoteMark)
	}
	var plain string
	if json.Unmarshal(text, &plain) != nil { // it is no JSON
		return []byte(p.Text(string(text)))
	}
	masked := p.Text(plain)
	if masked == plain {
		return text
	}
	return []byte(quote(masked))
}

// quote writes a text as JSON has it.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil { // it cannot fail for a text
		return strconv.Quote(text)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// bare masks a number.
func (p *Pass) bare(number []byte) []byte {
	masked := p.Text(string(number))
	if masked == string(number) {
		return number
	}
	return []byte(quoteMark + strings.Replace(masked, "***", "*", 1) + quoteMark)
}

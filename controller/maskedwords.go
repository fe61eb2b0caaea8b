package controller

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/cellwall/cellwall"
)

var (
	// mediaType is a type and a subtype as RFC 6838 has them, without parameters.
	mediaType = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$`)
	digits    = regexp.MustCompile(`[0-9]+`)
	// lineHead is where a traceback has the class of an exception, of a cause too.
	lineHead = regexp.MustCompile(`(?m)^[^\s:]+`)
)

// word masks a name that the code chose. In a text, letters beside a number make it
// something else; a name cannot do without them.
func (m *masked) word(name string) string {
	return digits.ReplaceAllStringFunc(m.Text(name), m.Text)
}

// failure masks what is said of an exception, and the name of its class wherever it
// stands in that.
func (m *masked) failure(raw []byte) []byte {
	raw = m.JSON(raw, false)
	var e cellwall.ExecutionError
	if json.Unmarshal(raw, &e) != nil {
		return raw
	}
	if name := m.word(e.Type); name != e.Type {
		hide := strings.NewReplacer(e.Type, name)
		e.Type, e.Message, e.Traceback, e.Excerpt = name, hide.Replace(e.Message), hide.Replace(e.Traceback), hide.Replace(e.Excerpt)
	}
	e.Traceback = lineHead.ReplaceAllStringFunc(e.Traceback, m.word)
	again, err := json.Marshal(e)
	if err != nil {
		return raw
	}
	return again
}

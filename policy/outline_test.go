package policy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestDecode_RefusesWhatACheckerWouldNotSend(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"n%d":1`, i)
		}
		return `{"names":{` + strings.TrimPrefix(b.String(), ",") + `}}`
	}
	imports := func(n int) string {
		return `{"imports":[` + strings.TrimSuffix(strings.Repeat(`{"module":"m"},`, n), ",") + `]}`
	}
	for name, c := range map[string]struct {
		raw string
		ok  bool
	}{
		"nothing":                 {"", false},
		"an empty outline":        {"{}", true},
		"null":                    {"null", true}, // says nothing, which is what an empty program holds
		"a whole one":             {`{"said":"","line":0,"notebook":false,"cut":false,"imports":[{"module":"os.path","line":3,"from":true}],"names":{"x":1},"attributes":{},"calls":{},"strings":{}}`, true},
		"an unknown field":        {`{"verdict":"pass"}`, false},
		"another type":            {`{"names":[]}`, false},
		"a fraction of a line":    {`{"names":{"x":1.5}}`, false},
		"a line before the first": {`{"names":{"x":-1}}`, false},
		"a line behind any last":  {`{"imports":[{"module":"m","line":100002}]}`, false},
		"two values":              {`{}{}`, false},
		"bytes that are no UTF-8": {"{\"said\":\"\xff\"}", false},
		"as many names as may be": {many(maxEntries), true},
		"one name too many":       {many(maxEntries + 1), false},
		"as many imports":         {imports(maxEntries), true},
		"one import too many":     {imports(maxEntries + 1), false},
		"a text that is long":     {`{"said":"` + strings.Repeat("x", maxText) + `"}`, true},
		"a text that is longer":   {`{"calls":{"` + strings.Repeat("x", maxText+1) + `":1}}`, false},
		"more than there can be":  {`{"said":"` + strings.Repeat(" ", MaxOutline) + `"}`, false},
		"deeper than it goes":     {strings.Repeat(`{"names":`, 200) + strings.Repeat("}", 200), false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Decode([]byte(c.raw)); (err == nil) != c.ok {
				t.Errorf("decoded %.60q: %v, want ok %v", c.raw, err, c.ok)
			}
		})
	}
}

// FuzzDecode: whatever comes out of a sandbox is refused or bounded, and what is
// bounded comes back as it was.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"", "{}", "null", `{"said":"x","line":1}`, `{"imports":[{"module":"os","line":1,"from":true}]}`,
		`{"names":{"a":1},"attributes":{"b":2},"calls":{"c.d":3},"strings":{"\ud800":4}}`, `{"cut":1}`, "[[[[", `{"NAMES":{"a":1}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, err := Decode(raw)
		if err != nil {
			return
		}
		if err := o.check(); err != nil {
			t.Fatalf("decoded %q to what is out of bounds: %v", raw, err)
		}
		again, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(again); err != nil {
			t.Errorf("%s does not decode again: %v", again, err)
		}
	})
}

package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// queries are the names that may stand in the query of each operation, by its id, and
// whether one may stand there more than once.
type queries map[string]map[string]bool

// queriesOf reads them from the document: what it does not say, no route takes.
func queriesOf(document *huma.OpenAPI) queries {
	all := queries{}
	for _, item := range document.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			names := map[string]bool{}
			for _, p := range op.Parameters {
				if p.In == "query" {
					names[p.Name] = p.Schema.Type == huma.TypeArray && (p.Explode == nil || *p.Explode)
				}
			}
			all[op.OperationID] = names
		}
	}
	return all
}

// checkQuery refuses a query that cannot be meant. Of one that is damaged net/http drops
// what it cannot read: were it a filter, more would be given than was asked for. A link
// and what tells of the service take whatever else a browser or a probe hangs on.
func (s *Server) checkQuery(r *http.Request, of *route) error {
	if r.URL.RawQuery == "" || of.is(foreign) {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badURL("it cannot be read: a % begins two hexadecimal digits, and & stands between two fields")
	}
	known := s.queries[of.id]
	for name, values := range query {
		many, ok := known[name]
		switch {
		case !plainText(append(values, name)):
			return badURL("it is no text in UTF-8, or has a NUL")
		case !ok && of.scope != "" && of.tag != "service":
			return invalidQuery(name, "unexpected query parameter")
		case ok && !many && len(values) > 1:
			return invalidQuery(name, "it may stand there once")
		}
	}
	return nil
}

// plainText reports whether texts can be kept and compared everywhere.
func plainText(texts []string) bool {
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return false
		}
	}
	return true
}

func badURL(why string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "read query", Err: errors.New(why)}
}

// invalidQuery refuses a field of a query, as huma does where it knows of it.
func invalidQuery(name, why string) error {
	return wrong(http.StatusUnprocessableEntity, &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "check request", Err: fmt.Errorf("query.%s: %s", shortText(name), why), Hint: "/docs says what the route takes",
	})
}

// shortText is enough of what a caller made up to know it again.
func shortText(text string) string {
	const most = 40
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.Trim(fmt.Sprintf("%q", text), `"`)
}

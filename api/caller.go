package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// identify finds out who calls and whether they may use the route. It looks at
// headers only.
func (s *Server) identify(r *http.Request, c *call) error {
	key, err := keyOf(r.Header)
	if err != nil {
		return err
	}
	switch {
	case key == "" && ownPeer(r.Context()):
		c.who = cellwall.Identity{Tenant: cellwall.LocalTenant, Scopes: cellwall.Scopes()}
	default:
		if c.who, err = s.opts.Keys.Authenticate(r.Context(), key); err != nil {
			return err
		}
	}
	if c.who.Subject, err = subjectOf(r.Header); err != nil {
		return err
	}
	if !c.who.Has(c.route.scope) {
		return &cellwall.Error{
			Code: cellwall.CodeForbidden, Op: "use " + c.route.path,
			Err:  fmt.Errorf("the key has not the scope %s", c.route.scope),
			Hint: "make a key with --scope " + c.route.scope,
		}
	}
	return nil
}

// maxKey bounds what is hashed of what a stranger sends.
const maxKey = 256

// keyOf returns the key of a request, at most maxKey bytes of it. Two keys that
// differ are a confusion of the caller's, which must not be settled by chance.
func keyOf(h http.Header) (string, error) {
	given := h.Values("X-Api-Key")
	for _, v := range h.Values("Authorization") {
		scheme, key, _ := strings.Cut(v, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			key = "" // opens nothing, and is counted as a key
		}
		given = append(given, strings.TrimSpace(key))
	}
	key := ""
	for i, k := range given {
		if i > 0 && k != key {
			return "", &cellwall.Error{
				Code: cellwall.CodeBadRequest, Op: "read key", Err: errors.New("the request holds two that differ"),
				Hint: "send one, as X-API-Key or as Authorization: Bearer",
			}
		}
		key = k
	}
	return key[:min(len(key), maxKey)], nil
}

// maxSubject is the length of a subject's name, in bytes.
const maxSubject = 128

// subjectOf returns for whom the tenant says it calls: a name in its books, not
// a proof.
func subjectOf(h http.Header) (string, error) {
	subject := h.Get("X-Cellwall-Subject")
	hidden := strings.IndexFunc(subject, func(r rune) bool { return !unicode.IsPrint(r) })
	if len(subject) > maxSubject || hidden >= 0 || !utf8.ValidString(subject) {
		return "", &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "read X-Cellwall-Subject",
			Err: fmt.Errorf("it is longer than %d bytes, or not all of it can be printed", maxSubject),
		}
	}
	return subject, nil
}

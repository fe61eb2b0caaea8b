package apitest

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// asking is one request. {id} in it stands for something of the first tenant's.
type asking struct{ method, path, body string }

func (a asking) of(id string) asking {
	return asking{a.method, strings.ReplaceAll(a.path, "{id}", id), strings.ReplaceAll(a.body, "{id}", id)}
}

func (a asking) by(t *testing.T, s *Service, key string) Answer {
	t.Helper()
	return s.Call(t, a.method, a.path, key, a.body, "X-Request-Id", "fixed")
}

// onlyForItsTenant holds requests to what they promise to everybody else: what is
// another's answers as what is nobody's, in status, headers and body, and a key that
// opens nothing here learns nothing of what there is.
func onlyForItsTenant(t *testing.T, s *Service, id string, all ...asking) {
	t.Helper()
	prefix, _, _ := strings.Cut(id, "_")
	nobodys := cellwall.NewID(prefix)
	for _, a := range all {
		name := a.method + " " + a.path
		for who, key := range map[string]string{"an expired key": s.Expired, "no key": "", "a key that nobody made": "e2b_" + strings.Repeat("0", 40)} {
			DemandProblem(t, name+" with "+who, a.of(id).by(t, s, key), http.StatusUnauthorized, cellwall.CodeUnauthenticated)
		}
		DemandProblem(t, name+" with another scope", a.of(id).by(t, s, s.Auditor), http.StatusForbidden, cellwall.CodeForbidden)
		if a == a.of(nobodys) {
			continue // it is of nothing that has an id
		}
		none := a.of(nobodys).by(t, s, s.Other)
		DemandProblem(t, name+" of nobody's", none, http.StatusNotFound, cellwall.CodeNotFound)
		for who, got := range map[string]Answer{
			"another tenant, of what is there": a.of(id).by(t, s, s.Other),
			"its tenant, of what is not there": a.of(nobodys).by(t, s, s.Key),
		} {
			if got.Status != none.Status || headers(got) != headers(none) || !bytes.Equal(got.Body, none.Body) {
				t.Errorf("%s by %s: %d %s %s, want %d %s %s", name, who, got.Status, headers(got), got.Body, none.Status, headers(none), none.Body)
			}
		}
	}
}

// headers are those of an answer, but for the moment.
func headers(a Answer) string {
	h := a.Header.Clone()
	h.Del("Date")
	return fmt.Sprint(h) // maps are printed in order
}

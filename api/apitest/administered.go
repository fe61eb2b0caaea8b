package apitest

import (
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// keyView is a key as its tenant sees it.
type keyView struct {
	ID, Tenant, Name, Key string
	Scopes                []string
	Expires               *time.Time `json:"expires_at"`
	Revoked               *time.Time `json:"revoked_at"`
}

// newKey has the operator make a key of a tenant.
func (s *Service) newKey(t *testing.T, tenant string, scopes ...string) (id, text string) {
	t.Helper()
	k := Into[keyView](t, s.Call(t, "POST", "/v1/keys", s.Operator, body(t, map[string]any{"tenant": tenant, "scopes": scopes})), 201)
	return k.ID, k.Key
}

// onlyWithScope holds a request to what it promises to keys of its tenant that lack
// its scope, and to those that open nothing.
func onlyWithScope(t *testing.T, s *Service, a asking, without ...string) {
	t.Helper()
	name := a.method + " " + a.path
	for _, key := range without {
		DemandProblem(t, name+" without its scope", a.by(t, s, key), 403, cellwall.CodeForbidden)
	}
	for who, key := range map[string]string{"an expired key": s.Expired, "no key": "", "a key that nobody made": "e2b_" + strings.Repeat("0", 40)} {
		DemandProblem(t, name+" with "+who, a.by(t, s, key), 401, cellwall.CodeUnauthenticated)
	}
}

package apitest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// mistake is a request that is refused, and what the sentence has to say.
type mistake struct {
	name, method, path, body string
	status                   int
	says                     string
}

// refused holds each mistake to its status, its code and its sentence.
func refused(t *testing.T, s *Service, key string, all []mistake) {
	t.Helper()
	for _, m := range all {
		a := s.Call(t, m.method, m.path, key, m.body)
		p := DemandProblem(t, m.name, a, m.status, codeOf(m.status))
		if !strings.Contains(p.Detail+" "+p.Hint, m.says) {
			t.Errorf("%s: says %q, want something of %q", m.name, p.Detail, m.says)
		}
	}
}

// codeOf is the code of what a caller did wrong, by its status.
func codeOf(status int) cellwall.ErrorCode {
	switch status {
	case http.StatusForbidden:
		return cellwall.CodeForbidden
	case http.StatusNotFound:
		return cellwall.CodeNotFound
	case http.StatusConflict:
		return cellwall.CodeConflict
	case http.StatusRequestEntityTooLarge:
		return cellwall.CodeTooLarge
	}
	return cellwall.CodeBadRequest
}

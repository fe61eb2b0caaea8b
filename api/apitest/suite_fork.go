package apitest

import (
	"testing"

	"github.com/cellwall/cellwall"
)

func aForkLivesBesideItsOrigin(t *testing.T, s *Service) {
	k := begin(t, s, `{}`)
	k.cell(t, "x = 1; open('a.txt', 'w').write('one')")
	type forked struct {
		Session sessionView
		Origin  string
		Shared  *bool `json:"shared_wall"`
		Lost    []cellwall.Notice
	}
	a := k.do(t, 201, "fork", "")
	f := Into[forked](t, a, 201)
	if f.Origin != k.id || f.Session.ID == k.id || f.Shared == nil || *f.Shared || f.Lost == nil || len(f.Lost) != 0 || a.Header.Get("Location") != "/v1/sessions/"+f.Session.ID {
		t.Fatalf("%v %s", a.Header, a.Body)
	}
	beside := talk{s, f.Session.ID, "/v1/sessions/" + f.Session.ID}
	beside.says(t, "print(x, open('a.txt').read()); x = 2; open('a.txt', 'w').write('two')", "1 one\n")
	k.says(t, "print(x, open('a.txt').read())", "1 one\n")
	if a := s.Call(t, "DELETE", k.path, s.Key, ""); a.Status != 204 {
		t.Errorf("ending the origin: %d %s", a.Status, a.Body)
	}
	beside.says(t, "print(x)", "2\n")
	if l := Into[List[sessionView]](t, s.Call(t, "GET", "/v1/sessions", s.Key, ""), 200); len(l.Items) != 1 || l.Items[0].ID != beside.id {
		t.Errorf("the list has %+v", l.Items)
	}
}

package apitest

import (
	"bytes"
	"testing"

	"github.com/cellwall/cellwall"
)

func aMaskedDatasetLacksWhatWasMasked(t *testing.T, s *Service) {
	d := Into[cellwall.Dataset](t, upload(t, s, s.Key, "people.csv", "name,phone,n\nAda,5551234,1\nBob,5559876,2\n"), 201)
	path, ask := "/v1/datasets/"+d.ID+"/masked", `{"columns":{"name":"hide","phone":"partial"}}`
	a := s.Call(t, "POST", path, s.Key, ask, "Idempotency-Key", "m")
	m := Into[cellwall.Dataset](t, a, 201)
	if m.ID == d.ID || m.Name != "people.masked.parquet" || m.Rows != 2 || len(m.Columns) != 2 || a.Header.Get("Location") != "/v1/datasets/"+m.ID {
		t.Fatalf("%v %s", a.Header, a.Body)
	}
	again := s.Call(t, "POST", path, s.Key, ask, "Idempotency-Key", "m")
	if got := Into[cellwall.Dataset](t, again, 201); got.ID != m.ID || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again under its key: %v %s", again.Header, again.Body)
	}
	if a := s.Call(t, "GET", "/v1/datasets/"+m.ID+"/content", s.Key, ""); a.Status != 200 || bytes.Contains(a.Body, []byte("Ada")) || bytes.Contains(a.Body, []byte("5551234")) {
		t.Errorf("%d, its file holds what was masked: %q", a.Status, a.Body)
	}
	r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"print(list(df.columns), df.n.sum(), list(df.phone))","datasets":["`+m.ID+`"]}`), 200)
	if r.Stdout.Text != "['phone', 'n'] 3 ['******4', '******6']\n" {
		t.Errorf("%q %+v", r.Stdout.Text, r.Error)
	}
	DemandProblem(t, "a column that is not there", s.Call(t, "POST", path, s.Key, `{"columns":{"age":"hide"}}`), 400, "bad_request")
	onlyForItsTenant(t, s, d.ID, asking{"POST", "/v1/datasets/{id}/masked", ask})
	if l := Into[List[Listed]](t, s.Call(t, "GET", "/v1/datasets", s.Key, ""), 200); len(l.Items) != 2 || l.Items[0].ID != m.ID {
		t.Errorf("the list has %+v", l.Items)
	}
}

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api/apitest"
	"github.com/cellwall/cellwall/internal/testkit"
)

// What a name may try against a service, where the suite of package apitest has no
// session and no terms to try it on.
func TestBadInput_NamesLeadNowhereElse(t *testing.T) {
	s := realService(t)
	a := s.under(t, "")
	opened := apitest.Into[struct{ ID string }](t, a.Call(t, "POST", "/v1/sessions", a.Key, `{}`), 201)
	files := "/v1/sessions/" + opened.ID + "/files"
	for name, status := range map[string]int{
		"..%2f..%2fetc%2fpasswd": 404, "%2e%2e/x": 404, "a/%2e%2e/%2e%2e/x": 404, "%2fetc%2fpasswd": 404, "a%00b": 404, "a%5c..%5cb": 400,
		strings.Repeat("n", 201): 400, strings.Repeat("d/", 600) + "x": 400, "a//b": 404, "./a": 404, "a/": 400,
	} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			got := a.Call(t, method, files+"/"+name, a.Key, map[string]string{"PUT": "x"}[method], "Content-Type", octets)
			code := map[int]cellwall.ErrorCode{400: "bad_request", 404: "not_found"}[status]
			apitest.DemandProblem(t, method+" "+name, got, status, code)
		}
	}
	// Names that a program or a form chose come back as text, in no header of their own.
	const hostile = "a\r\nSet-Cookie: x=1\x1b[31m\u202e.txt"
	body, err := json.Marshal(map[string]string{"code": fmt.Sprintf("open(%q, 'w').write('x')", hostile)})
	if err != nil {
		t.Fatal(err)
	}
	r := apitest.Into[cellwall.Result](t, a.Call(t, "POST", "/v1/executions", a.Key, string(body)), 200)
	for _, left := range r.Artifacts {
		got := a.Call(t, "GET", "/v1/artifacts/"+left.ID, a.Key, "")
		if got.Status != 200 || got.Header.Get("Set-Cookie") != "" || strings.ContainsAny(got.Header.Get("Content-Disposition"), "\r\n\x1b\u202e") {
			t.Errorf("%q comes back as %v", left.Name, got.Header)
		}
	}
	if len(r.Artifacts)+len(r.SkippedArtifacts) != 1 {
		t.Errorf("%+v", r)
	}
	if got := a.Call(t, "PUT", files+"/"+url.PathEscape(hostile), a.Key, "x", "Content-Type", octets); got.Status == 201 {
		back := a.Call(t, "GET", files+"/"+url.PathEscape(hostile), a.Key, "")
		if back.Header.Get("Set-Cookie") != "" || strings.ContainsAny(back.Header.Get("Content-Disposition"), "\r\n\x1b\u202e") {
			t.Errorf("a file of a session comes back as %v", back.Header)
		}
	}
	list := a.Call(t, "GET", files, a.Key, "")
	if list.Status != 200 || strings.Contains(string(list.Body), "passwd") {
		t.Errorf("the files are %d %s", list.Status, list.Body)
	}
}

// More than the tenant may have is refused while it is read, whatever it is sent to.
func TestBadInput_WhatIsTooMuchIsRefused(t *testing.T) {
	s := realService(t)
	a := s.under(t, "")
	var none json.RawMessage
	s.operate("PATCH", "/v1/admin/tenants/"+a.Tenant, `{"terms":{"ceiling":{"input_bytes":100000,"timeout_ms":2000},"store_bytes":300000}}`, 200, &none)
	opened := apitest.Into[struct{ ID string }](t, a.Call(t, "POST", "/v1/sessions", a.Key, `{}`), 201)
	huge := func() io.Reader { return struct{ io.Reader }{io.LimitReader(zeros{}, 64<<20)} } // in chunks: no length is announced
	for name, path := range map[string]string{"a dataset": "POST /v1/datasets", "a file": "PUT /v1/sessions/" + opened.ID + "/files/x", "a form": "POST /v1/executions"} {
		method, path, _ := strings.Cut(path, " ")
		media := octets
		if name == "a form" {
			media = "application/json"
		}
		got, err := a.Try(t, method, path, a.Key, huge(), "Content-Type", media)
		if err == nil { // else it was cut off while it still sent
			apitest.DemandProblem(t, name, got, 413, "too_large")
		}
	}
	for name, test := range map[string]struct {
		body   string
		status int
		code   cellwall.ErrorCode
	}{
		"more time":          {`{"code":"1","limits":{"timeout_ms":3000}}`, 403, "forbidden"},
		"another backend":    {`{"code":"1","backend":"moon"}`, 403, "forbidden"},
		"a looser profile":   {`{"code":"1","profile":"off"}`, 403, "forbidden"},
		"another's dataset":  {`{"code":"1","datasets":["` + cellwall.NewID(cellwall.PrefixDataset) + `"]}`, 404, "not_found"},
		"a path as an image": {`{"code":"1","environment":"../../etc"}`, 404, "environment_missing"},
	} {
		got := a.Call(t, "POST", "/v1/executions", a.Key, test.body)
		apitest.DemandProblem(t, name, got, test.status, test.code)
	}
	if got := a.Call(t, "POST", "/v1/executions", a.Key, `{"code":"1"}`); got.Status != 200 {
		t.Errorf("afterwards it is %d %s", got.Status, got.Body)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Whoever is slow holds a connection for so long and no longer: with headers that do
// not end, with a body that does not come, with an answer that is not read.
func TestBadInput_SlowClientsAreLetGo(t *testing.T) {
	if !testkit.Long() {
		t.Skip("the service waits for half a minute: set CELLWALL_TEST_ALL=1")
	}
	s := realService(t)
	a := s.under(t, "")
	big := apitest.Into[cellwall.Result](t, a.Call(t, "POST", "/v1/executions", a.Key, `{"code":"open('big.bin','wb').write(b'x'*(60<<20)); 1","limits":{"artifact_bytes":67108864}}`), 200)
	if len(big.Artifacts) != 1 {
		t.Fatalf("%+v", big)
	}
	var all sync.WaitGroup
	for name, test := range map[string]struct {
		sends  string
		drips  bool
		within time.Duration
		status string
	}{
		"nothing at all":         {"", false, 20 * time.Second, ""},
		"headers without end":    {"GET /v1/executions HTTP/1.1\r\nHost: x\r\nX-A: ", true, 20 * time.Second, ""},
		"a body without end":     {"POST /v1/executions HTTP/1.1\r\nHost: x\r\nX-API-Key: " + a.Key + "\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{", true, 40 * time.Second, "408"},
		"a chunk without end":    {"POST /v1/datasets HTTP/1.1\r\nHost: x\r\nX-API-Key: " + a.Key + "\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n", true, 40 * time.Second, "408"},
		"an answer nobody reads": {"GET /v1/artifacts/" + big.Artifacts[0].ID + " HTTP/1.1\r\nHost: x\r\nX-API-Key: " + a.Key + "\r\n\r\n", false, 90 * time.Second, "200"},
	} {
		all.Go(func() {
			began := time.Now()
			status, whole := slowly(t, a, test.sends, test.drips, test.within, test.status == "200")
			if status != test.status || whole || time.Since(began) > test.within+10*time.Second {
				t.Errorf("%s: status %q, whole %v, after %s", name, status, whole, time.Since(began))
			}
			t.Logf("figures: %s: let go after %.1f s", name, time.Since(began).Seconds())
		})
	}
	all.Wait()
	if got := a.Call(t, "POST", "/v1/executions", a.Key, `{"code":"1"}`); got.Status != 200 {
		t.Errorf("afterwards it is %d %s", got.Status, got.Body)
	}
}

// slowly sends, and then a byte now and then. It returns the status of the answer,
// and whether all of it came; late: it is not read before the time is over.
func slowly(t *testing.T, a *apitest.Service, sends string, drips bool, within time.Duration, late bool) (status string, whole bool) {
	c := apitest.Dial(t, a)
	io.WriteString(c, sends)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for drips {
			select {
			case <-stop:
				return
			case <-time.After(500 * time.Millisecond):
				c.Write([]byte(" "))
			}
		}
	}()
	if late {
		time.Sleep(within / 2)
	}
	c.SetReadDeadline(time.Now().Add(within))
	in := bufio.NewReader(c)
	got, err := http.ReadResponse(in, nil)
	if err != nil {
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			t.Errorf("%.40q is held on to", sends)
		}
		return "", false
	}
	defer got.Body.Close()
	_, err = io.Copy(io.Discard, got.Body)
	return fmt.Sprint(got.StatusCode), late && err == nil
}

package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

// unended begins to send a file of 2 MiB, and stops before its end.
type unended struct{ name, head string }

func (u unended) send(t *testing.T, s *apitest.Service) *bufio.Reader {
	t.Helper()
	c := apitest.Dial(t, s)
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Length: 3000000\r\n", u.head, s.Key)
	if u.name == "files of a request" {
		fmt.Fprint(c, "Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"request\"\r\n\r\n{\"code\":\"1\"}\r\n"+
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n")
	} else {
		fmt.Fprint(c, "Content-Type: text/csv\r\n\r\n")
	}
	io.WriteString(c, strings.Repeat("x", 2_000_000))
	return bufio.NewReader(c)
}

// What a tenant has sent of files that have not come to their end is bounded, however
// many calls bring them; the others are served.
func TestBadInput_AQuietTenantIsServedWhileAnotherStagesAllItCan(t *testing.T) {
	for _, way := range []unended{{"datasets", "POST /v1/datasets"}, {"files of a request", "POST /v1/executions"}} {
		t.Run(way.name, func(t *testing.T) {
			s := apitest.Start(t, func(o *api.Options) { o.BodyPatience = 5 * time.Minute })
			s.Keys.Change(s.Tenant, func(terms *cellwall.Terms) { terms.Ceiling.InputBytes = 4_000_000 })
			answers := make(chan int, 8)
			for range cap(answers) { // 16 MB of 9
				in := way.send(t, s)
				go func() {
					got, err := http.ReadResponse(in, nil)
					if err != nil {
						answers <- 0
						return
					}
					got.Body.Close()
					answers <- got.StatusCode
				}()
			}
			select {
			case status := <-answers:
				if status != 429 && status != 0 { // 0: it was cut off while it still sent
					t.Errorf("what is too much got %d", status)
				}
			case <-time.After(time.Minute):
				t.Error("all of them are taken")
			}
			csv := "a,b\n1,2\n"
			if got := s.Call(t, "POST", "/v1/datasets", s.Other, csv, "Content-Type", "text/csv"); got.Status != 201 {
				t.Errorf("another tenant got %d %s", got.Status, got.Body)
			}
		})
	}
}

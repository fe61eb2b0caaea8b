package apitest

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func Dial(t *testing.T, s *Service) *net.TCPConn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// rawCall sends bytes as they are, and reads until the server ends.
func rawCall(t *testing.T, s *Service, request string) string {
	t.Helper()
	c := Dial(t, s)
	c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	c.CloseWrite()
	got, _ := io.ReadAll(c) // what came before a reset counts
	return string(got)
}

// A client that closes its half is gone: its run ends, and nothing hangs.
func aHalfClosedConnectionEndsItsRun(t *testing.T, s *Service) {
	const code = `{"code":"import time; time.sleep(30)","limits":{"timeout_ms":60000}}`
	began := time.Now()
	got := rawCall(t, s, fmt.Sprintf("POST /v1/executions HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", s.Key, len(code), code))
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it held on for %s: %s", took, got)
	}
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.Records(t), `"status":"cancelled"`); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no record of a cancelled run: %s", s.Records(t))
		}
	}
	// One that closes in the middle of a body got nowhere.
	rawCall(t, s, fmt.Sprintf("POST /v1/executions HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Length: 500\r\n\r\n{", s.Key))
	if a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`); a.Status != 200 {
		t.Errorf("afterwards it is %d %s", a.Status, a.Body)
	}
}

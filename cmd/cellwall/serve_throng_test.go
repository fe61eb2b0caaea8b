package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// throng is many connections to a service in a process of its own.
type throng struct {
	*flat
	open []*net.TCPConn
}

func newThrong(t *testing.T, s *served) *throng {
	t.Helper()
	c := &throng{flat: &flat{served: s, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}}
	c.key = s.newKey(s.newTenant(), time.Time{}, cellwall.ScopeExecute)
	t.Cleanup(func() {
		for _, one := range c.open {
			one.Close()
		}
	})
	return c
}

// dial opens n connections and says text on each.
func (c *throng) dial(n int, text string) {
	c.t.Helper()
	more := make([]*net.TCPConn, n)
	var all sync.WaitGroup
	for part := range 32 {
		all.Go(func() {
			for i := part; i < n; i += 32 {
				conn, err := net.Dial("tcp", strings.TrimPrefix(c.tcp, "http://"))
				if err == nil {
					more[i] = conn.(*net.TCPConn)
					_, err = io.WriteString(conn, text)
				}
				if err != nil {
					c.t.Errorf("connection %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
	if c.t.Failed() {
		c.t.FailNow()
	}
	c.open = append(c.open, more...)
}

// untilEnd reads a connection up to its end, or until patience is over, and says
// whether it has ended.
func untilEnd(conn net.Conn, patience time.Duration) (text string, ended bool) {
	conn.SetReadDeadline(time.Now().Add(patience))
	raw, err := io.ReadAll(conn)
	return string(raw), err == nil || !os.IsTimeout(err) // a reset is an end, too
}

// someone makes an ordinary call and returns how long it took.
func (c *throng) someone() time.Duration {
	c.t.Helper()
	began := time.Now()
	status, text := call(c.t, c.client, "POST", c.tcp+"/v1/executions", execution("print(6 * 7)"), "X-API-Key", c.key)
	if status != 200 || !strings.Contains(text, "42") {
		c.t.Errorf("an ordinary call got %d %s", status, text)
	}
	return time.Since(began)
}

// Ten thousand connections with half a request cost a real service memory by the
// kilobyte, hold nobody up, and are ended when their time is over.
func TestBadInput_A_service_bears_ten_thousand_connections(t *testing.T) {
	n := 10_000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if most := int(limit.Cur) - 1000; n > most {
		t.Logf("only %d connections, proof: this host allows %d descriptors", most, limit.Cur)
		n = most
	}
	c := newThrong(t, realService(t))
	c.someone()
	before := c.hold()
	c.dial(n, "POST /v1/executions HTTP/1.1\r\nHost: x\r\nContent-Le")
	began := time.Now()
	c.await("they are not all accepted", func() bool { return c.look().descriptors-before.descriptors >= n })
	during := c.look()
	took := c.someone()
	each := (during.memory - before.memory) / int64(n)
	t.Logf("figures: before %v", before)
	t.Logf("figures: %d connections open %v: %d KiB each; an ordinary call took %v", n, during, each>>10, took)
	if each > 64<<10 {
		t.Errorf("a connection costs %d bytes", each)
	}
	c.await("slow clients are not ended", func() bool { return c.look().descriptors-before.descriptors < 50 })
	t.Logf("figures: all ended after %v", time.Since(began).Round(time.Second))
	if text, ended := untilEnd(c.open[0], time.Second); !ended || strings.Contains(text, " 200 ") {
		t.Errorf("the first of them: ended %v, %q", ended, text)
	}
}

// The setting bounds the connections: whoever comes later waits in the kernel, and
// is served when one has gone.
func TestBadInput_The_setting_connections_bounds_them(t *testing.T) {
	t.Setenv("CELLWALL_SERVE_CONNECTIONS", "20")
	c := newThrong(t, fakeService(t))
	c.dial(20, fmt.Sprintf("GET /v1/events HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nAccept: text/event-stream\r\n\r\n", c.key))
	for i, conn := range c.open {
		c.answered(conn, fmt.Sprintf("connection %d of 20", i))
	}
	c.dial(1, askHealth)
	late := c.open[20]
	if text, ended := untilEnd(late, 300*time.Millisecond); ended || text != "" {
		t.Fatalf("the 21st: ended %v, %q", ended, text)
	}
	c.open[0].Close()
	c.answered(late, "the 21st, when one has gone")
}

const askHealth = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

// answered demands that a connection gets an answer.
func (c *throng) answered(conn net.Conn, what string) {
	c.t.Helper()
	if line := c.firstLine(conn); !strings.Contains(line, " 200 ") {
		c.t.Fatalf("%s: %q", what, line)
	}
}

// firstLine is that of an answer; "" when none came.
func (c *throng) firstLine(conn net.Conn) string {
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	line, _ := bufio.NewReader(conn).ReadString('\n') // what is not there says it
	return line
}

// Whoever comes when every place is taken by connections that do nothing is served:
// the one that has done nothing for longest makes room. It needs no key to hold them.
func TestBadInput_A_quiet_caller_is_served_while_idle_connections_hold_every_place(t *testing.T) {
	t.Setenv("CELLWALL_SERVE_CONNECTIONS", "20")
	c := newThrong(t, fakeService(t))
	for name, text := range map[string]string{"kept alive": askHealth, "without a word": "", "half a request": "GET /healthz HTTP/1.1\r\nHo"} {
		c.dial(25, text)
		c.dial(1, askHealth)
		c.answered(c.open[len(c.open)-1], "beside connections "+name)
	}
	if _, ended := untilEnd(c.open[len(c.open)-1], time.Millisecond); ended {
		t.Error("the youngest was closed")
	}
}

// A tenant has so many streams of events, and is told when it has them; another one,
// and its own other calls, are answered.
func TestBadInput_A_quiet_tenant_is_served_while_another_holds_all_the_streams_it_can(t *testing.T) {
	c := newThrong(t, fakeService(t))
	ask := "GET /v1/events HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nAccept: text/event-stream\r\n\r\n"
	c.dial(64, fmt.Sprintf(ask, c.key))
	for i, conn := range c.open {
		c.answered(conn, fmt.Sprintf("stream %d of 64", i))
	}
	c.dial(1, fmt.Sprintf(ask, c.key))
	if line := c.firstLine(c.open[64]); !strings.Contains(line, " 429 ") {
		t.Errorf("the 65th: %q", line)
	}
	if status, text := call(t, c.client, "POST", c.tcp+"/v1/executions", execution("out x"), "X-API-Key", c.key); status != 200 {
		t.Errorf("its other calls: %d %s", status, text)
	}
	other := c.newKey(c.newTenant(), time.Time{}, cellwall.ScopeExecute)
	c.dial(1, fmt.Sprintf(ask, other))
	c.answered(c.open[65], "another tenant's stream")
	c.open[0].Close()
	c.await("a place that was left is not given again", func() bool {
		c.dial(1, fmt.Sprintf(ask, c.key))
		return strings.Contains(c.firstLine(c.open[len(c.open)-1]), " 200 ")
	})
}

// Who closes the half that it writes with counts as gone: it may get the answer to
// what it asked, and never a fault of ours.
func TestBadInput_Half_closed_connections_end(t *testing.T) {
	c := newThrong(t, fakeService(t))
	body := execution("out x")
	for _, half := range []struct {
		what, text, want string
	}{
		{"nothing", "", ""},
		{"half a header", "POST /v1/executions HTTP/1.1\r\nHos", ""},
		{"half a body", fmt.Sprintf("POST /v1/executions HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{", c.key), " 400 "},
		{"a whole request", fmt.Sprintf("GET /v1/executions HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n\r\n", c.key), "HTTP/1.1 "},
	} {
		c.dial(1, half.text)
		conn := c.open[len(c.open)-1]
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		text, ended := untilEnd(conn, 20*time.Second)
		if !ended || half.want == "" && strings.Contains(text, " 200 ") || strings.Contains(text, " 500 ") || !strings.Contains(text, half.want) {
			t.Errorf("%s: ended %v, %q, want %q", half.what, ended, text, half.want)
		}
	}
	if status, text := call(t, c.client, "POST", c.tcp+"/v1/executions", body, "X-API-Key", c.key); status != 200 {
		t.Errorf("afterwards: %d %s", status, text)
	}
	if said := c.said(); strings.Contains(said, "level=ERROR") {
		t.Errorf("the service takes it for its own fault: %s", said)
	}
}

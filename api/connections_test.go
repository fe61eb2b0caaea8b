package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

// A body that is announced and does not come holds nothing but its connection,
// and not for long.
func TestBadInput_ASlowBodyIsEnded(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.BodyPatience = 300 * time.Millisecond })
	c := apitest.Dial(t, s)
	fmt.Fprintf(c, "POST /v1/executions HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Length: 50000\r\n\r\n{", s.Key)
	stop := make(chan struct{})
	defer close(stop)
	go func() { // a byte now and then does not help
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
				c.Write([]byte(" "))
			}
		}
	}()
	began := time.Now()
	c.SetReadDeadline(began.Add(20 * time.Second))
	got, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := io.ReadAll(got.Body)
	if got.StatusCode != 408 || !strings.Contains(string(raw), "too slowly") || time.Since(began) > 10*time.Second {
		t.Errorf("after %s: %d %s", time.Since(began), got.StatusCode, raw)
	}
}

// Bodies in memory are bounded all together: as long as there is room everybody is
// answered, and whoever comes when it is full is sent away at once.
func TestBadInput_BodiesInMemoryAreBoundedTogether(t *testing.T) {
	const room = 8 // bodies of 64 KiB
	s := apitest.Start(t, func(o *api.Options) { o.Held = room * 64 << 10 })
	full := func() bool {
		return s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`).Status == 503
	}
	begun := 0
	// One at a time: of many at once, one that found no room beside a call of full
	// would be gone, and the room left for ever.
	for deadline := time.Now().Add(10 * time.Second); !full(); begun++ {
		if time.Now().After(deadline) {
			t.Fatalf("bodies beyond the bound are still taken, after %d", begun)
		}
		c := apitest.Dial(t, s)
		fmt.Fprintf(c, "POST /v1/executions HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Length: 900000\r\n\r\n%s", s.Key, strings.Repeat(" ", 60_000))
	}
	if begun < room {
		t.Errorf("full with %d bodies, there is room for %d", begun, room)
	}
}

// Ten thousand connections that stand open cost memory by the kilobyte, and the
// next caller is answered.
func TestBadInput_TenThousandConnections(t *testing.T) {
	crowd := 10_000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if most := (int(limit.Cur) - 500) / 2; crowd > most { // both ends are of this process
		t.Logf("only %d connections: this host allows %d descriptors", most, limit.Cur)
		crowd = most
	}
	s := apitest.Start(t)
	if a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`); a.Status != 200 { // everything is warm
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	before := heap()
	open := make([]*net.TCPConn, crowd)
	var answered atomic.Int64
	var all sync.WaitGroup
	for part := range 20 {
		all.Go(func() {
			for i := part; i < crowd; i += 20 {
				c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
				if err != nil {
					t.Errorf("connection %d: %v", i, err)
					return
				}
				open[i] = c.(*net.TCPConn)
				fmt.Fprintf(c, "GET /v1/executions?limit=1 HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n\r\n", s.Key)
				if got, err := bufio.NewReaderSize(c, 512).ReadString('\n'); err == nil && strings.Contains(got, " 200 ") {
					answered.Add(1)
				}
				fmt.Fprint(c, "GET /healthz HTTP/1.1\r\nHost") // and a request that does not end
			}
		})
	}
	all.Wait()
	if n := answered.Load(); n != int64(crowd) {
		t.Errorf("%d of %d were answered", n, crowd)
	}
	each := int64(heap()-before) / int64(crowd)
	t.Logf("%d connections open: %d KiB each, both ends, %d goroutines, %s", crowd, each>>10, runtime.NumGoroutine(), resident(t))
	if each > 64<<10 {
		t.Errorf("a connection costs %d bytes", each)
	}
	began := time.Now()
	if a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"6*7"}`); a.Status != 200 {
		t.Errorf("the next caller got %d %s", a.Status, a.Body)
	}
	t.Logf("the next caller's code took %s", time.Since(began))
	for _, c := range open {
		if c != nil {
			c.Close()
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

func resident(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	line, _, _ := strings.Cut(rest, "\n")
	return "resident " + strings.TrimSpace(line)
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// served is a service in a process of its own.
type served struct {
	t     *testing.T
	state string
	tcp   string // its URL
	cmd   *exec.Cmd
	exit  chan error

	mu  sync.Mutex
	log bytes.Buffer
}

// serveIn starts "cellwall serve" in a state directory: as is "cellwall" or
// "cellwall-fake". It returns when the service listens.
func serveIn(t *testing.T, as, state string, args ...string) *served {
	t.Helper()
	s := &served{t: t, state: state, exit: make(chan error, 1)}
	s.cmd = exec.Command(os.Args[0], append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	s.cmd.Env = append(os.Environ(), "CELLWALL_TEST_AS="+as, "CELLWALL_STATE_DIR="+state, "NO_COLOR=1")
	out, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addresses := make(chan string, 8)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			s.mu.Lock()
			s.log.WriteString(lines.Text() + "\n")
			s.mu.Unlock()
			if a := listensOn.FindStringSubmatch(lines.Text()); a != nil {
				addresses <- a[1]
			}
		}
		_, _ = io.Copy(io.Discard, out)
		close(addresses)
		s.exit <- s.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		<-s.exit
		if t.Failed() {
			t.Logf("the service said:\n%s", s.said())
		}
	})
	for a := range addresses {
		if strings.HasPrefix(a, "unix:") {
			return s
		}
		s.tcp = a
	}
	s.exit <- nil // for the cleanup
	t.Fatalf("it ended at once:\n%s", s.said())
	return nil
}

var listensOn = regexp.MustCompile(`listening on (\S+)`)

// records is the text of all that was recorded.
func (s *served) records() string {
	s.t.Helper()
	days, err := filepath.Glob(filepath.Join(s.state, "records", "*.jsonl"))
	if err != nil || len(days) == 0 {
		s.t.Fatalf("records: %v, %v", days, err)
	}
	var all strings.Builder
	for _, day := range days {
		text, err := os.ReadFile(day)
		if err != nil {
			s.t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func (s *served) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// local returns a client of the Unix socket, which leaves no connection behind.
func (s *served) local() *http.Client {
	socket := filepath.Join(s.state, socketName)
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
	}}
}

// call sends one request and returns what came back.
func call(t *testing.T, c *http.Client, method, url, body string, headers ...string) (int, string) {
	t.Helper()
	status, text, err := tryCall(c, method, url, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return status, text
}

func tryCall(c *http.Client, method, url, body string, headers ...string) (int, string, error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}

// execution is the body that runs code.
func execution(code string) string {
	raw, _ := json.Marshal(map[string]string{"code": code}) // a string always encodes
	return string(raw)
}

// ready waits until the service can run code.
func (s *served) ready() *served {
	s.t.Helper()
	s.await("it is not ready", func() bool {
		status, _, err := tryCall(s.local(), "GET", "http://local/readyz", "")
		return err == nil && status == 200
	})
	return s
}

// await polls until what is so.
func (s *served) await(otherwise string, what func() bool) {
	s.t.Helper()
	for end := time.Now().Add(60 * time.Second); !what(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal(otherwise)
		}
	}
}

// end sends a signal and returns the exit status.
func (s *served) end(signal syscall.Signal) int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
	err := <-s.exit
	s.exit <- err
	return s.cmd.ProcessState.ExitCode()
}

func (s *served) result(text string) (r cellwall.Result) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
	return r
}

// fakeService starts a service over the scripted backend in a state of its own.
func fakeService(t *testing.T, args ...string) *served {
	t.Helper()
	state := shortDir(t)
	if err := fakeState(state); err != nil {
		t.Fatal(err)
	}
	return serveIn(t, "cellwall-fake", state, args...).ready()
}

// shortDir is a temporary directory whose name leaves room for a socket's.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

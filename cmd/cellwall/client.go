package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/peer"
)

// client speaks to a service.
type client struct {
	http *http.Client
	base string // of its routes
	key  string
}

// keyVariable holds the key for a service: not a flag, which others could see.
const keyVariable = "CELLWALL_API_KEY"

// newClient takes http://…, https://… or unix:PATH.
func newClient(address string) (*client, error) {
	c := &client{http: &http.Client{}, base: strings.TrimRight(address, "/"), key: os.Getenv(keyVariable)}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		c.base, c.http.Transport = "http://local", socketTransport(path, false)
		return c, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, usage("choose server", fmt.Errorf("%q is no address", address), "write http://HOST:PORT, https://HOST:PORT or unix:PATH")
	}
	return c, nil
}

// socketTransport connects to a Unix socket; own: only when this very user
// listens there.
func socketTransport(path string, own bool) *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
		if err != nil || !own {
			return conn, err
		}
		if who, err := peer.Of(conn.(*net.UnixConn)); err != nil || who.UID != os.Geteuid() {
			return nil, errors.Join(errors.New("another user listens there"), err, conn.Close())
		}
		return conn, nil
	}}
}

// How long a service of this host may take to say that it is there.
const (
	localPatience = 50 * time.Millisecond // where it only makes something faster
	localSure     = 5 * time.Second       // where it must be found if there is one
)

// localClient finds the service of this user that runs over the state directory;
// nil when there is none that answers well to this path: /healthz, or /readyz
// for one that can run code now.
func localClient(ctx context.Context, c *config, says string, patience time.Duration) *client {
	path := filepath.Join(c.StateDir, socketName)
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	s := &client{http: &http.Client{Transport: socketTransport(path, true)}, base: "http://local"}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	res, err := s.do(ctx, http.MethodGet, says, nil, nil)
	if err != nil {
		return nil
	}
	res.Body.Close()
	return s
}

// do sends a request; an answer that is no success is an error. The caller
// closes the body.
func (c *client) do(ctx context.Context, method, path string, header map[string]string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("ask service: %w", err)
	}
	if parent := os.Getenv("TRACEPARENT"); parent != "" { // as OpenTelemetry hands a trace to a program
		req.Header.Set("Traceparent", parent)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, &cellwall.Error{Code: cellwall.CodeInternal, Op: "ask service", Err: err, Hint: "is it running? curl " + c.base + "/healthz"}
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("ask service: %w", err)
	}
	return nil, problemOf(raw, res.Status)
}

// problemOf is the error that a problem document tells of.
func problemOf(raw []byte, otherwise string) error {
	var p struct {
		Code                cellwall.ErrorCode
		Title, Detail, Hint string
	}
	if json.Unmarshal(raw, &p) != nil || p.Code == "" {
		return &cellwall.Error{Code: cellwall.CodeInternal, Op: "ask service", Err: errors.New("it answers " + otherwise)}
	}
	if p.Code == cellwall.CodeUnauthenticated && p.Hint == "" {
		p.Hint = "put the key into " + keyVariable
	}
	if p.Detail == "" {
		p.Detail = strings.ToLower(p.Title)
	}
	return &cellwall.Error{Code: p.Code, Op: "ask service", Err: errors.New(p.Detail), Hint: p.Hint}
}

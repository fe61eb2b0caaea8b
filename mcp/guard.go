package mcp

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// guard turns away what a web page sends from a user's own machine: a foreign Origin,
// and on loopback a Host that a stranger's name server has pointed here. A key is
// asked for all the same; this holds where somebody has given the page one.
func (h *HTTP) guard(r *http.Request) error {
	host := name(r.Host)
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && local.IP.IsLoopback() && !h.ours(host) {
		return forbidden("the Host is not one of this service's names")
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return nil
	}
	from, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || from.Host == "" || !h.ours(name(from.Host)) && !strings.EqualFold(from.Host, r.Host) {
		return forbidden("the Origin is not one of this service's names")
	}
	return nil
}

// ours is whether clients may call this service by a name.
func (h *HTTP) ours(host string) bool {
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() || host == "localhost" {
		return true
	}
	return slices.ContainsFunc(h.opts.Hosts, func(s string) bool { return strings.EqualFold(s, host) })
}

// name is a host without its port.
func name(host string) string {
	if bare, _, err := net.SplitHostPort(host); err == nil {
		host = bare
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

func forbidden(why string) error {
	return &cellwall.Error{Code: cellwall.CodeForbidden, Op: "check where the request comes from", Err: errors.New(why), Hint: "name the host in mcp_hosts"}
}

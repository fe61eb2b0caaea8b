package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"

	"github.com/cellwall/cellwall"
)

// CheckURL refuses, with CodeBadRequest, an address that no webhook may have
// whatever it resolves to. Where a name leads is looked at when it is dialled.
func CheckURL(text string, allowPrivate bool) error {
	const maxURL = 2048
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > maxURL || u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return badURL("it is no address", "give https://, a host and a path")
	case u.Scheme != "https" && (u.Scheme != "http" || !allowPrivate):
		return badURL("it is not https", "what is sent is signed, not secret: it needs TLS")
	case u.User != nil:
		return badURL("it holds a name or password", "check the signature instead")
	case u.Fragment != "":
		return badURL("it has a fragment, which is never sent", "leave out what follows #")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !allowPrivate && !public(ip) {
		return badURL("it leads to an address that is not public", "only the operator can allow this")
	}
	return nil
}

func badURL(why, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "check webhook address", Err: errors.New(why), Hint: hint}
}

var errPrivate = errors.New("it leads to an address that is not public")

// transport dials public addresses only, and asks no proxy of this host's.
func transport(allowPrivate bool) http.RoundTripper {
	d := net.Dialer{Timeout: 5 * time.Second}
	if !allowPrivate {
		d.ControlContext = onlyPublic
	}
	return &http.Transport{
		DialContext: d.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: 10 * time.Second,
		MaxResponseHeaderBytes: 64 << 10, IdleConnTimeout: time.Minute, MaxIdleConns: 32, MaxConnsPerHost: 4,
	}
}

// onlyPublic looks at the address that is about to be dialled, behind every
// resolution of a name.
func onlyPublic(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial webhook: %w", err)
	}
	if !public(at.Addr()) || ours(at.Addr()) {
		return fmt.Errorf("dial webhook: %w", errPrivate)
	}
	return nil
}

// special are the blocks beside those that netip knows which lead nowhere public,
// or to an IPv4 address in disguise.
var special = func() (list []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}()

// public reports whether an address is one of the internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsGlobalUnicast() && !ip.IsPrivate() &&
		!slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// ours reports whether an address is one of this host. What cannot be known is.
func ours(ip netip.Addr) bool {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return true
	}
	return slices.ContainsFunc(list, func(a net.Addr) bool {
		own, ok := a.(*net.IPNet)
		return ok && own.IP.Equal(net.IP(ip.Unmap().AsSlice()))
	})
}

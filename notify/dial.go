package notify

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/internet"
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
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !allowPrivate && !internet.Public(ip) {
		return badURL("it leads to an address that is not public", "only the operator can allow this")
	}
	return nil
}

func badURL(why, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "check webhook address", Err: errors.New(why), Hint: hint}
}

// transport dials public addresses only, and asks no proxy of this host's.
func transport(allowPrivate bool) http.RoundTripper {
	d := net.Dialer{Timeout: 5 * time.Second}
	if !allowPrivate {
		d.ControlContext = internet.Only
	}
	return &http.Transport{
		DialContext: d.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: 10 * time.Second,
		MaxResponseHeaderBytes: 64 << 10, IdleConnTimeout: time.Minute, MaxIdleConns: 32, MaxConnsPerHost: 4,
	}
}

package fetch

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Hosts is where a tenant may fetch from. The zero value allows nothing.
type Hosts []host

// host is one entry of the list.
type host struct {
	scheme, name, port string
	below              bool // names below it, not itself
}

// ParseHosts reads a list, see doc.go. It fails with the first entry that is none.
func ParseHosts(list []string) (Hosts, error) {
	var all Hosts
	for _, text := range list {
		h, err := parseHost(text)
		if err != nil {
			return nil, fmt.Errorf("host %.100q: %w", text, err)
		}
		all = append(all, h)
	}
	return all, nil
}

func parseHost(text string) (h host, err error) {
	h.scheme, h.port = "https", "443"
	rest := text
	if scheme, after, ok := strings.Cut(text, "://"); ok {
		if scheme != "https" && scheme != "http" {
			return h, fmt.Errorf("%.20q is neither https nor http", scheme)
		}
		h.scheme, rest = scheme, after
		if scheme == "http" {
			h.port = "80"
		}
	}
	if name, port, err := net.SplitHostPort(rest); err == nil {
		if _, err := portOf(port); err != nil {
			return h, err
		}
		h.port, rest = port, name
	}
	if name, ok := strings.CutPrefix(rest, "*."); ok {
		h.below, rest = true, name
	}
	if h.name, err = nameOf(rest); err != nil {
		return h, err
	}
	if suffix, _ := publicsuffix.PublicSuffix(h.name); h.below && suffix == h.name {
		return h, fmt.Errorf("everybody can have a name below %s", h.name)
	}
	return h, nil
}

// allows reports whether a target is on the list.
func (all Hosts) allows(t target) bool {
	for _, h := range all {
		if h.scheme != t.url.Scheme || h.port != t.port {
			continue
		}
		if h.name == t.name && !h.below || h.below && strings.HasSuffix(t.name, "."+h.name) {
			return true
		}
	}
	return false
}

// portOf reads a port as a person writes it.
func portOf(text string) (string, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != text {
		return "", fmt.Errorf("%.20q is no port", text)
	}
	return text, nil
}

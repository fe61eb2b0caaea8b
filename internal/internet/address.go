package internet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// ErrPrivate is the error of [Only].
var ErrPrivate = errors.New("it leads to an address that is not public")

// Only looks at the address that is about to be dialled, behind every resolution
// of a name. It is a net.Dialer's ControlContext.
func Only(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	if !Public(at.Addr()) || Ours(at.Addr()) {
		return fmt.Errorf("dial: %w", ErrPrivate)
	}
	return nil
}

// special are the blocks beside those that netip knows which lead nowhere public,
// or to an IPv4 address in disguise.
var special = func() (list []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "168.63.129.16/32", // the last: a cloud's own services, under a public address
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}()

// Public reports whether an address is one of the internet.
func Public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !isatap(ip) &&
		!slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// isatap reports whether an address ends in an IPv4 address behind the mark that
// RFC 5214 gives it, with or without the bit for one that is unique.
func isatap(ip netip.Addr) bool {
	b := ip.As16()
	return ip.Is6() && b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// Ours reports whether an address is one of this host. What cannot be known is.
func Ours(ip netip.Addr) bool {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return true
	}
	return slices.ContainsFunc(list, func(a net.Addr) bool {
		own, ok := a.(*net.IPNet)
		return ok && own.IP.Equal(net.IP(ip.Unmap().AsSlice()))
	})
}

package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/internet"
)

// Resolver finds the addresses of a name. A net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// resolve finds where a name leads, once. One address that may not be dialled is
// enough to refuse: who answers so means no good.
func (f *Fetcher) resolve(ctx context.Context, name string) ([]netip.Addr, error) {
	ctx, cancel := context.WithTimeout(ctx, f.opts.Patience)
	defer cancel()
	list, err := f.opts.Resolver.LookupNetIP(ctx, "ip", name)
	if err != nil || len(list) == 0 {
		return nil, failed("its host is not found", "check the spelling of the host", err)
	}
	const most = 16
	list = list[:min(len(list), most)]
	for i, ip := range list {
		list[i] = ip.Unmap()
		if !f.mayDial(ip) {
			return nil, private(fmt.Errorf("%s is %s", name, ip))
		}
	}
	return list, nil
}

// mayDial reports whether an address is one of the internet, or of a network that
// the operator opened.
func (f *Fetcher) mayDial(ip netip.Addr) bool {
	ip = ip.Unmap()
	if slices.ContainsFunc(f.opts.Private, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return !ip.IsLinkLocalUnicast() && !ip.IsMulticast() && !ip.IsUnspecified() && ip.Zone() == ""
	}
	return internet.Public(ip) && !internet.Ours(ip)
}

// control looks at the address once more, when it is dialled.
func (f *Fetcher) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	if !f.mayDial(at.Addr()) {
		return fmt.Errorf("dial %s: %w", at, internet.ErrPrivate)
	}
	return nil
}

// dialer dials the addresses that were found, whatever name it is asked for.
func (f *Fetcher) dialer(found []netip.Addr, port string) func(context.Context, string, string) (net.Conn, error) {
	d := net.Dialer{Timeout: f.opts.Patience, ControlContext: f.control}
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		var errs []error
		for _, ip := range found {
			conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(ip.String(), port))
			if err == nil {
				return conn, nil
			}
			errs = append(errs, err)
			if ctx.Err() != nil {
				break
			}
		}
		return nil, errors.Join(errs...)
	}
}

// private is the refusal of a name that leads inside. It says no more than that:
// where it leads is nobody's business.
func private(cause error) error {
	return &refusal{&cellwall.Error{
		Code: cellwall.CodeForbidden, Op: opFetch, Err: internet.ErrPrivate, Hint: "only the operator can open a network of its own",
	}, cause}
}

package api

import "context"

type peerKey struct{}

// WithPeer notes on the context of a connection through the Unix socket whether
// the kernel says that its other end is the service's own user: it is
// cellwall.LocalTenant with all scopes then, and needs no key.
func WithPeer(ctx context.Context, sameUser bool) context.Context {
	return context.WithValue(ctx, peerKey{}, sameUser)
}

// ownPeer reports whether the caller is the service's own user.
func ownPeer(ctx context.Context) bool {
	own, _ := ctx.Value(peerKey{}).(bool)
	return own
}

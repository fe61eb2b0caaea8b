package main

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// boundedListener has so many connections at once. Further ones wait: for the place
// of one that ends, or that does nothing (see places).
type boundedListener struct {
	net.Listener
	places *places
	end    chan struct{}
	once   sync.Once
}

func bound(l net.Listener, n int) *boundedListener {
	return &boundedListener{Listener: l, places: newPlaces(n), end: make(chan struct{})}
}

// Accept waits for a connection, and then for a place.
func (b *boundedListener) Accept() (net.Conn, error) {
	conn, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &boundedConn{Conn: conn, places: b.places}
	if !b.places.take(c, b.end) {
		conn.Close()
		return nil, net.ErrClosed
	}
	return c, nil
}

// Close ends Accept also when it waits for a place.
func (b *boundedListener) Close() error {
	b.once.Do(func() { close(b.end) })
	return b.Listener.Close()
}

// boundedConn is a connection with a place.
type boundedConn struct {
	net.Conn
	places *places
	rest   rest
}

// Close gives the place back.
func (c *boundedConn) Close() error {
	defer c.places.give(c)
	return c.Conn.Close()
}

// NetConn is the connection itself.
func (c *boundedConn) NetConn() net.Conn { return c.Conn }

type placeKey struct{}

// attend has a server say which of its connections are at work: those with a request
// that has come and is not answered. What a connection says before that is none.
func attend(server *http.Server) {
	next, handler := server.ConnContext, server.Handler
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		if next != nil {
			ctx = next(ctx, conn)
		}
		if secret, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS has it inside
			if c, ok := secret.NetConn().(*boundedConn); ok {
				conn = c
			}
		}
		return context.WithValue(ctx, placeKey{}, conn)
	}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(placeKey{}).(*boundedConn); ok {
			c.places.work(c)
			defer c.places.pause(c)
		}
		handler.ServeHTTP(w, r)
	})
}

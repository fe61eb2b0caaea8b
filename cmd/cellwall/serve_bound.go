package main

import (
	"net"
	"sync"
)

// boundedListener accepts so many connections at once; further ones wait in the
// kernel's queue.
type boundedListener struct {
	net.Listener
	free chan struct{}
	end  chan struct{}
	once sync.Once
}

func bound(l net.Listener, n int) *boundedListener {
	return &boundedListener{Listener: l, free: make(chan struct{}, n), end: make(chan struct{})}
}

// Accept waits for a connection, and before for a place.
func (b *boundedListener) Accept() (net.Conn, error) {
	select {
	case b.free <- struct{}{}:
	case <-b.end:
		return nil, net.ErrClosed
	}
	conn, err := b.Listener.Accept()
	if err != nil {
		<-b.free
		return nil, err
	}
	return &boundedConn{Conn: conn, leave: sync.OnceFunc(func() { <-b.free })}, nil
}

// Close ends Accept also when it waits for a place.
func (b *boundedListener) Close() error {
	b.once.Do(func() { close(b.end) })
	return b.Listener.Close()
}

type boundedConn struct {
	net.Conn
	leave func()
}

// Close gives the place back.
func (c *boundedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// NetConn is the connection itself.
func (c *boundedConn) NetConn() net.Conn { return c.Conn }

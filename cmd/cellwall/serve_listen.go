package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/linux/peer"
)

// listeners are where the service can be reached.
type listeners struct {
	server  *http.Server // of TCP and the Unix socket
	certs   *certificate // nil without TLS
	sockets []net.Listener
	failed  chan error         // of a listener that ended by itself
	cancel  context.CancelFunc // of every request
}

// openListeners listens; serve begins to answer.
func openListeners(ctx context.Context, set *serveSettings, socket string, server *http.Server) (_ *listeners, err error) {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &listeners{server: server, failed: make(chan error, 4), cancel: cancel}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	server.ConnContext, server.BaseContext = withPeer, func(net.Listener) context.Context { return requests }
	attend(server)
	tcp, err := listen(ctx, "tcp", set.Listen)
	if err != nil {
		return nil, err
	}
	tcp = bound(tcp, set.Connections)
	if set.TLSCert != "" {
		if l.certs, err = openCertificate(set.TLSCert, set.TLSKey); err != nil {
			return nil, errors.Join(err, tcp.Close())
		}
		l.server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: l.certs.get, NextProtos: []string{"h2", "http/1.1"}}
		tcp = tls.NewListener(tcp, l.server.TLSConfig)
	}
	l.sockets = append(l.sockets, tcp)
	local, err := listenUnix(ctx, socket)
	if err != nil {
		return nil, err
	}
	l.sockets = append(l.sockets, bound(local, set.Connections))
	return l, nil
}

func listen(ctx context.Context, network, address string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, network, address)
	if err != nil {
		var at *net.OpError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, usage("listen on "+address, err, "choose another with --listen, or end what listens there")
	}
	return l, nil
}

// listenUnix listens at path, for this user. What a killed service left there
// goes: the state directory has one service, which holds its lock.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("remove old socket: %w", err)
		}
	}
	if len(path) > 100 { // the kernel's bound is 107
		return nil, usage("listen on "+path, errors.New("the path is too long for a socket"), "choose a shorter one with --socket")
	}
	l, err := listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect socket: %w", err), l.Close())
	}
	return l, nil
}

// withPeer notes on a connection of the Unix socket whether its other end is
// this very user. Through TCP nobody is.
func withPeer(ctx context.Context, conn net.Conn) context.Context {
	if limited, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = limited.NetConn()
	}
	local, ok := conn.(*net.UnixConn)
	if !ok {
		return ctx
	}
	who, err := peer.Of(local)
	return api.WithPeer(ctx, err == nil && who.UID == os.Geteuid())
}

// serve answers until Close or Shutdown.
func (l *listeners) serve() {
	for _, socket := range l.sockets {
		go func() {
			if err := l.server.Serve(socket); !errors.Is(err, http.ErrServerClosed) {
				l.failed <- fmt.Errorf("listen on %s: %w", socket.Addr(), err)
			}
		}()
	}
}

// addresses says where the service is, as a client would write it.
func (l *listeners) addresses() (list []string) {
	for _, socket := range l.sockets {
		switch scheme := "http://"; {
		case socket.Addr().Network() == "unix":
			list = append(list, "unix:"+socket.Addr().String())
		default:
			if l.certs != nil {
				scheme = "https://"
			}
			list = append(list, scheme+strings.Replace(socket.Addr().String(), "[::]", "localhost", 1))
		}
	}
	return list
}

// Close ends every connection.
func (l *listeners) Close() error {
	var errs []error
	l.cancel()
	for _, socket := range l.sockets {
		if err := socket.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, l.server.Close())...)
}

// certificate is read again while connections go on.
type certificate struct {
	cert, key string
	now       atomic.Pointer[tls.Certificate]
}

func openCertificate(cert, key string) (*certificate, error) {
	c := &certificate{cert: cert, key: key}
	return c, c.read()
}

func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "read certificate", Err: err, Hint: "tls_cert and tls_key are files in PEM"}
	}
	c.now.Store(&pair)
	return nil
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil }

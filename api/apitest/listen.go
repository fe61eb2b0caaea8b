package apitest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// listen serves on a port of loopback.
func (s *Service) listen(t testing.TB) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := s.Server.HTTP()
	ended := counted(server)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	expired := make(chan struct{})
	go s.expire(t, expired)
	s.URL = "http://" + l.Addr().String()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Errorf("close the listener: %v", err)
		}
		<-done
		ended()               // what a call still logs is the test's
		expired <- struct{}{} // no more is looked for
		if err := s.Server.Close(); err != nil {
			t.Errorf("close the server: %v", err)
		}
	})
}

// counted counts a server's connections and returns what waits, once it serves
// no more, until the last call on them is over: Close does not.
func counted(server *http.Server) (wait func()) {
	var open sync.WaitGroup
	next := server.ConnState
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if next != nil {
			next(c, state)
		}
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Done()
		case http.StateActive, http.StateIdle:
		}
	}
	return open.Wait
}

// expire ends what nobody decides in time, until somebody takes end.
func (s *Service) expire(t testing.TB, end <-chan struct{}) {
	for {
		select {
		case <-end:
			return
		case <-time.After(50 * time.Millisecond):
			if err := s.Server.ExpireApprovals(context.Background()); err != nil {
				t.Errorf("end what nobody decided: %v", err)
			}
		}
	}
}

func closing(t testing.TB, what string, end func() error) func() {
	return func() {
		if err := end(); err != nil {
			t.Errorf("close %s: %v", what, err)
		}
	}
}

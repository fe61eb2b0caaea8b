package apitest

import (
	"context"
	"net"
	"net/http"
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
		expired <- struct{}{} // no more is looked for
		if err := s.Server.Close(); err != nil {
			t.Errorf("close the server: %v", err)
		}
	})
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

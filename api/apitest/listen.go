package apitest

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"
)

// listen serves on a port of loopback. What a call still logs when its caller has
// gone is the test's: its end waits for it.
func (s *Service) listen(t testing.TB) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config = s.Server.HTTP()
	server.Start()
	expired := make(chan struct{})
	go s.expire(t, expired)
	s.URL = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections() // a stream would go on
		server.Close()
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

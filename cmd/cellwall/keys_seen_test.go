package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// A verb that changes a key waits for the service, however slow the service is to
// say that it is there: else a revoked key would open for a while.
func TestM42_AChangedKeyWaitsForASlowService(t *testing.T) {
	dir := t.TempDir()
	at, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	routes := http.NewServeMux()
	routes.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) { time.Sleep(4 * localPatience) })
	routes.HandleFunc("GET /v1/keys", func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 3 {
			fmt.Fprint(w, `{"items":[]}`)
			return
		}
		fmt.Fprint(w, `{"items":[{"id":"key_a"}]}`)
	})
	s := &http.Server{Handler: routes, ReadHeaderTimeout: time.Minute}
	go s.Serve(at)
	defer s.Close()
	p := &program{stderr: newScreen(os.Stderr)}
	p.awaitSeen(t.Context(), &config{StateDir: dir}, cellwall.Key{ID: "key_a", Tenant: "tnt_a"}, func(keyDocument) bool { return true })
	if asked.Load() != 3 {
		t.Errorf("it went on after %d looks, the third of which shows the key", asked.Load())
	}
}

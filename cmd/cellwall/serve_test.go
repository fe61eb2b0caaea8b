package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall/audit"
)

func TestServe_takes_its_own_user_at_the_socket_and_a_key_elsewhere(t *testing.T) {
	s := fakeService(t)
	status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out hello"))
	if r := s.result(text); status != 200 || r.Stdout.Text != "hello" {
		t.Errorf("at the socket: %d %s", status, text)
	}
	if info, err := os.Stat(filepath.Join(s.state, socketName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info.Mode(), err)
	}
	status, text = call(t, http.DefaultClient, "POST", s.tcp+"/v1/executions", execution("out hello"))
	if status != 401 || !strings.Contains(text, `"unauthenticated"`) {
		t.Errorf("through TCP without a key: %d %s", status, text)
	}
	if status, text := call(t, http.DefaultClient, "GET", s.tcp+"/healthz", ""); status != 200 || strings.Contains(text, "cellwall") {
		t.Errorf("healthz: %d %s", status, text)
	}
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

func TestServe_drains_what_runs_is_answered_and_nothing_new_begins(t *testing.T) {
	s := fakeService(t)
	type answer struct {
		status int
		text   string
	}
	running := make(chan answer, 1)
	go func() {
		status, text, _ := tryCall(s.local(), "POST", "http://local/v1/executions", execution("nap 2s\nout done"))
		running <- answer{status, text}
	}()
	time.Sleep(300 * time.Millisecond) // it has begun
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.await("new work is not refused", func() bool {
		status, text, err := tryCall(s.local(), "POST", "http://local/v1/executions", execution("out more"))
		return err == nil && status == 503 && strings.Contains(text, `"draining"`)
	})
	if status, _ := call(t, s.local(), "GET", "http://local/readyz", ""); status != 503 {
		t.Errorf("readyz while it drains: %d", status)
	}
	if status, _ := call(t, s.local(), "GET", "http://local/healthz", ""); status != 200 {
		t.Errorf("healthz while it drains: %d", status)
	}
	got := <-running
	if r := s.result(got.text); got.status != 200 || r.Stdout.Text != "done" {
		t.Errorf("what ran: %d %s", got.status, got.text)
	}
	err := <-s.exit
	s.exit <- err
	if err != nil {
		t.Errorf("it ended: %v", err)
	}
}

func TestServe_cancels_after_the_deadline_and_records_it(t *testing.T) {
	s := fakeService(t, "--drain", "300ms")
	running := make(chan int, 1)
	go func() {
		status, _, _ := tryCall(s.local(), "POST", "http://local/v1/executions", execution("wait"))
		running <- status
	}()
	time.Sleep(300 * time.Millisecond)
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	<-running
	cancelled := 0
	log, err := audit.Open(filepath.Join(s.state, "records"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Each(time.Time{}, func(line []byte) error {
		if strings.Contains(string(line), `"status":"cancelled"`) {
			cancelled++
		}
		return nil
	}); err != nil || cancelled != 1 {
		t.Errorf("%d records of a cancelled run, %v", cancelled, err)
	}
}

func TestServe_is_the_only_one_of_its_state_directory(t *testing.T) {
	s := fakeService(t)
	second := &program{stdout: newScreen(os.Stdout), stderr: newScreen(os.Stderr), backends: backends()}
	v := serveVerb{Listen: "127.0.0.1:0"}
	err := v.Run(t.Context(), second, &config{StateDir: s.state})
	if err == nil || !strings.Contains(err.Error(), "runs there already") {
		t.Errorf("the second: %v", err)
	}
	s.cmd.Process.Kill() // a killed one leaves its socket, and nothing that locks
	if e := <-s.exit; e == nil {
		t.Error("it was not killed")
	}
	s.exit <- nil
	serveIn(t, "cellwall-fake", s.state).ready()
}

func TestServe_reads_its_settings_again_all_or_nothing(t *testing.T) {
	file := settingsFile(t, "[log]\nlevel = \"warn\"\n")
	s := fakeService(t, "--config", file)
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	write("[log]\nlevel = \"debug\"\n[tenants.\"no name\"]\n")
	s.await("the mistake is not told", func() bool { return strings.Contains(s.said(), "keep the settings as they were") })
	if strings.Contains(s.said(), "read the settings again") {
		t.Error("half of a file with a mistake was taken")
	}
	write("[log]\nlevel = \"info\"\n[tenants.acme]\n")
	s.await("the settings are not read again", func() bool { return strings.Contains(s.said(), "tenants=1") })
	if status, _ := call(t, s.local(), "GET", "http://local/readyz", ""); status != 200 {
		t.Errorf("readyz afterwards: %d", status)
	}
}

func TestServe_speaks_TLS_and_takes_a_new_certificate(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	first := writeCertificate(t, cert, key, 1)
	s := fakeService(t, "--tls-cert", cert, "--tls-key", key)
	serial := func(roots *x509.CertPool) int64 {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(s.tcp, "https://"), &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"})
		if err != nil {
			return -1
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if n := serial(first); n != 1 {
		t.Errorf("certificate %d, want 1", n)
	}
	if _, _, err := tryCall(http.DefaultClient, "GET", strings.Replace(s.tcp, "https", "http", 1)+"/v1/environments", ""); err == nil {
		if status, _ := call(t, http.DefaultClient, "GET", strings.Replace(s.tcp, "https", "http", 1)+"/v1/environments", ""); status != 400 {
			t.Errorf("without TLS: %d", status)
		}
	}
	second := writeCertificate(t, cert, key, 2)
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.await("the new certificate is not shown", func() bool { return serial(second) == 2 })
}

// writeCertificate makes a certificate of 127.0.0.1 that signs itself.
func writeCertificate(t *testing.T, cert, key string, serial int64) *x509.CertPool {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return pool
}

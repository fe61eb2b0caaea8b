package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/load"
	"github.com/cellwall/cellwall/store"
)

// benchService is a real service in a process of its own, with settings that
// nobody gave, and the process that asks it for executions.
type benchService struct {
	url     string   // of its executions
	keys    []string // of two tenants
	log     string
	load    *load.Generator
	end     context.CancelFunc
	ended   chan error
	release func() error
}

// openService starts a service in a state directory that is its own but for the
// environments, and returns when it can run code.
func (b *bench) openService(ctx context.Context) (s *benchService, err error) {
	own, release, err := openOwnState(b.config, "bench-http")
	if err != nil {
		return nil, err
	}
	s = &benchService{release: release, log: own.inState("log"), ended: make(chan error, 1)}
	if s.keys, err = benchKeys(ctx, own); err != nil {
		return nil, errors.Join(err, release())
	}
	running, end := context.WithCancel(ctx)
	s.end = end
	if err = s.start(running, []string{
		"serve", "--state-dir", own.StateDir, "--listen", "127.0.0.1:0", "--env", b.verb.Env, "--backend", b.verb.Backend,
	}); err != nil {
		end()
		return nil, errors.Join(err, release())
	}
	s.load, err = load.Start(ctx, self(verbBenchLoad), os.Environ())
	if err == nil {
		err = s.ready(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// benchKeys makes two tenants with the service's own terms, and a key of each.
func benchKeys(ctx context.Context, own *config) (keys []string, err error) {
	desk, err := (&bookFlags{Database: store.Default(own.StateDir)}).open(ctx, own)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	for _, name := range []string{"loud", "quiet"} {
		t, err := desk.AddTenant(ctx, cellwall.NewID(cellwall.PrefixTenant), name, cellwall.Terms{})
		if err != nil {
			return nil, err
		}
		key, _, err := desk.NewKey(ctx, t.ID, name, []string{cellwall.ScopeExecute}, time.Time{})
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// start starts the service. It dies with this process.
func (s *benchService) start(ctx context.Context, args []string) error {
	cmd := exec.CommandContext(ctx, self("")[0], args...)
	cmd.Env = unserved(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true} // Ctrl-C is the benchmark's
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	said, err := os.OpenFile(s.log, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("start service: %w", err)
	}
	defer said.Close()
	cmd.Stderr = said // a file: nobody has to wake up for a line
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the kernel sends Pdeathsig when the starting thread ends
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			s.ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start service: %w", err)
	}
	return nil
}

// unserved is an environment without settings of a service.
func unserved(environ []string) (clean []string) {
	for _, v := range environ {
		if !strings.HasPrefix(v, "CELLWALL_") {
			clean = append(clean, v)
		}
	}
	return clean
}

var saysAddress = regexp.MustCompile(`(?m)^cellwall: listening on (http://\S+)`)

// ready waits until the service can run code.
func (s *benchService) ready(ctx context.Context) error {
	for {
		said, err := os.ReadFile(s.log)
		if err != nil {
			return fmt.Errorf("hear of service: %w", err)
		}
		if a := saysAddress.FindSubmatch(said); a != nil && canServe(ctx, string(a[1])) {
			s.url = string(a[1]) + "/v1/executions"
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-s.ended:
			s.ended <- err
			return errors.Join(errors.New("the service has ended"), err, errors.New(string(said)))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func canServe(ctx context.Context, base string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// Close ends the load and the service.
func (s *benchService) Close() error {
	var err error
	if s.load != nil {
		err = s.load.Close()
	}
	s.end()
	var killed *exec.ExitError
	if ended := <-s.ended; ended != nil && !errors.Is(ended, context.Canceled) && !errors.As(ended, &killed) {
		err = errors.Join(err, ended)
	}
	return errors.Join(err, s.release())
}

package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"
)

// serveVerb is "cellwall serve".
type serveVerb struct {
	Config        string        `placeholder:"FILE" help:"Settings in TOML."`
	Listen        string        `placeholder:"HOST:PORT" help:"Where to listen (default 127.0.0.1:8642)."`
	Socket        string        `placeholder:"PATH" help:"Unix socket for callers of this user, who need no key (default: cellwall.sock in the state directory)."`
	TLSCert       string        `name:"tls-cert" placeholder:"FILE" help:"Certificate in PEM; read again on SIGHUP."`
	TLSKey        string        `name:"tls-key" placeholder:"FILE" help:"Its key in PEM."`
	Insecure      bool          `help:"Let other hosts connect without TLS."`
	MetricsListen string        `placeholder:"HOST:PORT" help:"Serve /metrics without a key on this loopback address, too."`
	Backend       string        `placeholder:"NAME" help:"The default backend."`
	Env           string        `placeholder:"NAME" help:"The default environment."`
	Workers       int           `placeholder:"N" help:"Executions at once (default: cores)."`
	Database      string        `placeholder:"URL" help:"sqlite:PATH or postgres://… (default: service.db in the state directory)."`
	Blobs         string        `placeholder:"URL" help:"A directory, or s3://bucket/prefix (default: blobs in the state directory)."`
	Drain         time.Duration `placeholder:"30s" help:"How long executions may go on after SIGTERM."`
}

// Help is the part of the help that shows how it is used.
func (*serveVerb) Help() string {
	return `Examples:

  cellwall serve
  cellwall serve --config cellwall.toml
  cellwall serve --listen 0.0.0.0:8642 --tls-cert cert.pem --tls-key key.pem

A key for callers through TCP:  cellwall keys create --tenant NAME
Without a key, for this user:   curl --unix-socket STATE/cellwall.sock http://x/v1/executions …

SIGTERM ends it when what runs has ended, at the latest after --drain. SIGHUP has
it read the settings, the certificate and the environments again.`
}

// flags are the settings that the command line names.
func (v *serveVerb) flags() map[string]any {
	set := map[string]any{}
	for key, value := range map[string]string{
		"listen": v.Listen, "socket": v.Socket, "tls_cert": v.TLSCert, "tls_key": v.TLSKey, "metrics_listen": v.MetricsListen,
		"backend": v.Backend, "environment": v.Env, "database": v.Database, "blobs": v.Blobs,
	} {
		if value != "" {
			set[key] = value
		}
	}
	if v.Insecure {
		set["insecure"] = true
	}
	if v.Workers != 0 {
		set["workers"] = v.Workers
	}
	if v.Drain != 0 {
		set["drain"] = v.Drain
	}
	return set
}

func (v *serveVerb) settings() (serveSettings, error) {
	return loadSettings(v.Config, os.Environ(), v.flags())
}

// Run serves until it is told to end.
func (v *serveVerb) Run(ctx context.Context, p *program, c *config) error {
	set, err := v.settings()
	if err != nil {
		return err
	}
	holdMemory()
	level := &slog.LevelVar{}
	if l, err := set.Log.level(); err == nil {
		level.Set(l)
	}
	hangups := make(chan struct{}, 1)
	p.interrupts.serve(set.Drain+drainGrace, func() {
		select {
		case hangups <- struct{}{}:
		default: // it is about to read everything anyway
		}
	})
	s := &service{program: p, config: c, settings: &set, verb: v, level: level, log: newServiceLog(p.stderr, set.Log, level)}
	if err := s.start(ctx); err != nil {
		return err
	}
	for _, address := range s.listeners.addresses() {
		p.stderr.say(plain, "cellwall: ", "listening on "+address)
	}
	for {
		select {
		case <-hangups:
			s.reload()
			continue
		case <-ctx.Done():
		case err = <-s.listeners.failed:
			s.log.Error("a listener ended", "error", err)
		}
		return s.end(ctx, err)
	}
}

// drainGrace is what an ending service may take beyond its executions.
const drainGrace = 15 * time.Second

// newServiceLog writes the log of a service.
func newServiceLog(to *screen, set logSettings, level *slog.LevelVar) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if strings.EqualFold(set.Format, "json") {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

// end puts the service away: no new work, then what runs within the deadline,
// then the rooms in reverse.
func (s *service) end(ctx context.Context, cause error) error {
	s.drain(ctx)
	if err := s.undo.Run(); err != nil && cause == nil {
		cause = fmt.Errorf("end service: %w", err)
	}
	if cause != nil {
		return cause
	}
	s.program.stderr.say(plain, "cellwall: ", "ended")
	return status(exitOK)
}

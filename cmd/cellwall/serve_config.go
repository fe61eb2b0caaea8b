package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"runtime"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/connect"
	"github.com/cellwall/cellwall/policy"
	"github.com/cellwall/cellwall/telemetry"
)

// serveSettings are what a service can be told: by the file of --config, then
// by CELLWALL_SERVE_<KEY>, then by flags. A key is the field's name in
// snake_case; in the environment "__" stands for the dot before a key of a table.
type serveSettings struct {
	Listen        string // host:port
	Socket        string // "" = cellwall.sock in the state directory
	TLSCert       string // files in PEM; read again on SIGHUP
	TLSKey        string
	Insecure      bool   // other hosts may connect without TLS
	MetricsListen string // host:port of /metrics without a key; loopback only
	Connections   int    // at once

	Backend     string
	Environment string

	Workers        int           // executions at once; 0 = cores
	Waiting        int           // executions in the queue
	AcceptableWait time.Duration // longer predicted waits are refused
	Ready          int           // sandboxes kept ready of each kind

	Database string // sqlite:PATH or postgres://…; "" = service.db in the state directory
	Blobs    string // directory or s3://bucket/prefix?endpoint=…; "" = blobs in the state directory

	Drain        time.Duration // for executions that run when the service is told to end
	SessionIdle  time.Duration
	SessionTotal time.Duration
	AuditKeep    time.Duration // records are kept so long, at least 30 days
	MCPHosts     []string      // names by which MCP's clients reach a service on loopback, as behind a proxy
	MCPSessions  int           // of MCP's clients, at once

	Quarantine   quarantineSettings
	Webhooks     webhookSettings
	Fetch        fetchSettings
	Review       reviewSettings
	Connection   map[string]connect.Connection // by name; terms say whose they are
	OTLPEndpoint string                        // of traces; "" = none
	OTLPRatio    float64                       // of the requests that are traced where the caller did not decide
	Log          logSettings
	Metrics      metricsSettings

	Defaults cellwall.Terms            // of tenants that say nothing else
	Tenants  map[string]tenantSettings // by name; they win over those made with commands
}

// webhookSettings bound where webhooks may go.
type webhookSettings struct {
	AllowPrivate bool // addresses of private networks, too
}

// logSettings say what the log holds. Code and data it never does unless asked.
type logSettings struct {
	Level  string // debug, info, warn, error
	Format string // text or json
	Code   bool   // the source of executions, too
}

// metricsSettings say what metrics tell.
type metricsSettings struct {
	Tenants bool // executions of each tenant, too
}

// tenantSettings are a tenant of the file: its terms, and what else there is.
type tenantSettings struct {
	State          string
	Reason         string
	cellwall.Terms `mapstructure:",squash"`
}

const minAuditKeep = 30 * 24 * time.Hour

func defaultSettings() serveSettings {
	return serveSettings{
		Listen: "127.0.0.1:8642", Connections: 10_240,
		Backend: defaultBackend, Environment: defaultEnvironment,
		Workers: runtime.NumCPU(), Waiting: 1024, AcceptableWait: 10 * time.Second, Ready: 2 * runtime.NumCPU(),
		Drain: 30 * time.Second, SessionIdle: 10 * time.Minute, SessionTotal: 4 * time.Hour, AuditKeep: 90 * 24 * time.Hour, MCPSessions: 1000,
		OTLPRatio: 0.1,
		Log:       logSettings{Level: "info", Format: "text"},
	}
}

// loadSettings reads them: the later source wins.
func loadSettings(path string, environ []string, flags map[string]any) (serveSettings, error) {
	set, k := defaultSettings(), koanf.New(".")
	if path != "" {
		if err := k.Load(file.Provider(path), toml.Parser()); err != nil {
			return set, usage("read configuration "+path, unwrapPath(err), "it is a TOML file; see docs/SERVICE.md")
		}
	}
	if err := k.Load(env.Provider(".", env.Opt{
		Prefix: settingsPrefix, EnvironFunc: func() []string { return environ },
		TransformFunc: func(key, value string) (string, any) { return settingKey(key), value },
	}), nil); err != nil {
		return set, fmt.Errorf("read CELLWALL_SERVE_…: %w", err)
	}
	for key, value := range flags {
		if err := k.Set(key, value); err != nil {
			return set, fmt.Errorf("set %s: %w", key, err)
		}
	}
	var met mapstructure.Metadata
	err := k.UnmarshalWithConf("", &set, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Metadata: &met, WeaklyTypedInput: true, MatchName: sameKey, TagName: "mapstructure",
		DecodeHook: mapstructure.ComposeDecodeHookFunc(readDuration, readSize, mapstructure.StringToSliceHookFunc(",")),
	}})
	if err != nil {
		return set, usage("read configuration", oneSentence(err), "see docs/SERVICE.md for the keys")
	}
	if err := unknownKeys(met.Unused, k, path, environ); err != nil {
		return set, err
	}
	return set, set.validate()
}

// unwrapPath leaves the path to the sentence around it.
func unwrapPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// validate refuses what cannot be meant.
func (s *serveSettings) validate() error {
	wrong := func(key, format string, args ...any) error {
		return usage("read configuration", fmt.Errorf(key+": "+format, args...), "see docs/SERVICE.md for the keys")
	}
	host, _, err := net.SplitHostPort(s.Listen)
	switch {
	case err != nil:
		return wrong("listen", "%q is no host:port", s.Listen)
	case (s.TLSCert == "") != (s.TLSKey == ""):
		return wrong("tls_cert, tls_key", "one needs the other")
	case s.TLSCert == "" && !s.Insecure && !loopback(host):
		return usage("listen on "+s.Listen, errors.New("keys and data would cross the network in the clear"),
			"give --tls-cert and --tls-key, or --insecure behind a proxy that ends TLS")
	case s.Connections < 1, s.Workers < 0, s.Waiting < 1, s.Ready < 0:
		return wrong("connections, workers, waiting, ready", "must be positive")
	case s.AcceptableWait <= 0, s.Drain <= 0, s.SessionIdle <= 0, s.SessionTotal <= 0:
		return wrong("acceptable_wait, drain, session_idle, session_total", "must be longer than 0")
	case s.AuditKeep < minAuditKeep:
		return wrong("audit_keep", "%v is less than 30 days", s.AuditKeep)
	}
	if _, err := s.Log.level(); err != nil {
		return wrong("log.level", "%w", err)
	}
	if s.Log.Format != "text" && s.Log.Format != "json" {
		return wrong("log.format", "%q is neither text nor json", s.Log.Format)
	}
	if s.OTLPEndpoint != "" {
		if err := telemetry.CheckEndpoint(s.OTLPEndpoint); err != nil {
			return wrong("otlp_endpoint", "%w", err)
		}
	}
	if !(s.OTLPRatio >= 0 && s.OTLPRatio <= 1) {
		return wrong("otlp_ratio", "%v is not from 0 to 1", s.OTLPRatio)
	}
	if s.MetricsListen != "" {
		if host, _, err := net.SplitHostPort(s.MetricsListen); err != nil || !loopback(host) {
			return wrong("metrics_listen", "%q is not on loopback: elsewhere /metrics takes a key of the operator with the scope audit", s.MetricsListen)
		}
	}
	if _, err := s.Fetch.options(""); err != nil {
		return wrong("fetch", "%w", err)
	}
	if err := s.Review.into(&policy.Options{}); err != nil {
		return wrong("review", "%w", err)
	}
	if _, err := connect.Open("", s.Connection); err != nil {
		return wrong("connection", "%w", err)
	}
	_, err = s.tenants()
	return err
}

// loopback reports whether only this host can connect to it.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func settingsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cellwall.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSettings_flags_win_over_the_environment_and_that_over_the_file(t *testing.T) {
	path := settingsFile(t, `
listen = "127.0.0.1:1"
workers = 3
acceptable_wait = "2s"
audit_keep = "45d"
[log]
level = "debug"
[webhooks]
allow_private = true
`)
	environ := []string{"CELLWALL_SERVE_WORKERS=5", "CELLWALL_SERVE_LOG__FORMAT=json", "CELLWALL_SERVER=not mine", "HOME=/"}
	set, err := loadSettings(path, environ, map[string]any{"listen": "127.0.0.1:2", "drain": 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if set.Listen != "127.0.0.1:2" || set.Workers != 5 || set.AcceptableWait != 2*time.Second || set.AuditKeep != 45*24*time.Hour ||
		set.Log != (logSettings{Level: "debug", Format: "json"}) || !set.Webhooks.AllowPrivate || set.Drain != 5*time.Second ||
		set.Environment != defaultEnvironment || set.Connections != 10_240 {
		t.Errorf("got %+v", set)
	}
}

func TestSettings_tenants_come_with_all_their_terms(t *testing.T) {
	path := settingsFile(t, `
[defaults]
concurrency = 4
[tenants.acme]
state = "quarantined"
reason = "look at it"
environments = ["python-data-basic"]
concurrency = 8
store_bytes = "2GiB"
retention = "30d"
mask = true
[tenants.acme.rate]
per_second = 10.5
burst = 20
[tenants.acme.ceiling]
timeout = "20s"
memory_bytes = "1GiB"
cpus = 2
[tenants.acme.budget]
executions = 100
time = "1h"
`)
	set, err := loadSettings(path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := set.tenants()
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	got := list[0]
	if !cellwall.ValidID(cellwall.PrefixTenant, got.ID) || got.Name != "acme" || got.State != cellwall.TenantQuarantined || got.Reason != "look at it" {
		t.Errorf("tenant %+v", got)
	}
	terms := got.Terms
	if terms.Rate != (cellwall.Rate{PerSecond: 10.5, Burst: 20}) || terms.Concurrency != 8 || terms.StoreBytes != 2*cellwall.GiB ||
		terms.Retention != 30*24*time.Hour || !terms.Mask || len(terms.Environments) != 1 ||
		terms.Ceiling != (cellwall.Limits{Timeout: 20 * time.Second, MemoryBytes: cellwall.GiB, CPUs: 2}) ||
		terms.Budget != (cellwall.Budget{Executions: 100, Time: time.Hour}) {
		t.Errorf("terms %+v", terms)
	}
	if set.Defaults.Concurrency != 4 {
		t.Errorf("defaults %+v", set.Defaults)
	}
	if other, _ := set.tenants(); other[0].ID != got.ID {
		t.Error("a tenant of the file has another id the next time")
	}
}

func TestSettings_say_what_is_wrong(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an unknown key":          {`listenn = "x"`, "listenn"},
		"an unknown key of terms": {"[tenants.acme]\nconcurency = 1", "concurency"},
		"no TOML":                 {`listen = `, "read configuration"},
		"a number without unit":   {`drain = 30`, "unit"},
		"no duration":             {`drain = "soon"`, `"soon"`},
		"no address":              {`listen = "8642"`, "host:port"},
		"other hosts, no TLS":     {`listen = "0.0.0.0:8642"`, "in the clear"},
		"every host, no TLS":      {`listen = ":8642"`, "in the clear"},
		"half of TLS":             {`tls_cert = "x"`, "one needs the other"},
		"records for a week":      {`audit_keep = "7d"`, "30 days"},
		"metrics for everybody":   {`metrics_listen = "0.0.0.0:9000"`, "loopback"},
		"an unknown level":        {"[log]\nlevel = \"loud\"", "loud"},
		"an unknown format":       {"[log]\nformat = \"xml\"", "xml"},
		"a tenant's name":         {"[tenants.\"A B\"]\nconcurrency = 1", "a-z"},
		"a tenant's state":        {"[tenants.acme]\nstate = \"gone\"", "gone"},
		"a ceiling out of range":  {"[tenants.acme.ceiling]\ntimeout = \"2h\"", "ceiling"},
		"a size that is none":     {"[tenants.acme]\nstore_bytes = \"much\"", "much"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadSettings(settingsFile(t, c.text), nil, nil)
			if cellwall.CodeOf(err) != cellwall.CodeBadRequest || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a bad request about %q", err, c.want)
			}
			if cellwall.HintOf(err) == "" {
				t.Error("without a hint")
			}
		})
	}
	if _, err := loadSettings(filepath.Join(t.TempDir(), "none.toml"), nil, nil); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
		t.Errorf("a file that is not there: %v", err)
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "[::1]:0"} {
		if _, err := loadSettings("", nil, map[string]any{"listen": address}); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

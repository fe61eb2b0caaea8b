package main

import (
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestSettings_AnUnknownKeyIsNamedAsItWasWrittenAndWhere(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		environ []string
		want    []string
	}{
		"in the file":          {"foo = 1", nil, []string{`unknown key "foo" in `, "cellwall.toml"}},
		"in a table":           {"[log]\nleve_l2 = 'x'", nil, []string{`unknown key "log.leve_l2" in `}},
		"of a tenant":          {"[tenants.a-b.rate]\nper_hour = 2", nil, []string{`unknown key "tenants.a-b.rate.per_hour" in `}},
		"a table":              {"[logg]\nlevel = 'info'", nil, []string{`unknown key "logg" in `}},
		"two":                  {"foo = 1\nbar = 2", nil, []string{`unknown key "bar" in `, `; unknown key "foo" in `}},
		"in the environment":   {"", []string{"CELLWALL_SERVE_FOO=1"}, []string{`unknown key "foo" from CELLWALL_SERVE_FOO`}},
		"of a table, there":    {"", []string{"CELLWALL_SERVE_LOG__FOO=1"}, []string{`unknown key "log.foo" from CELLWALL_SERVE_LOG__FOO`}},
		"a table, there":       {"", []string{"CELLWALL_SERVE_LOGG__FOO=1"}, []string{`unknown key "logg" from CELLWALL_SERVE_LOGG__FOO`}},
		"one here, one there":  {"foo = 1", []string{"CELLWALL_SERVE_BAR=1"}, []string{`"bar" from CELLWALL_SERVE_BAR; `, `"foo" in `}},
		"beside a right value": {"workers = 3\nworker = 3", nil, []string{`unknown key "worker" in `}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadSettings(settingsFile(t, c.file), c.environ, nil)
			if err == nil || exitOf(err) != exitUsage || cellwall.HintOf(err) == "" {
				t.Fatalf("it is taken, or has no hint: %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nsays nothing of %s", err, want)
				}
			}
			if strings.Contains(err.Error(), "serveSettings") || len(c.want) == 1 && strings.Contains(err.Error(), ";") {
				t.Errorf("it says too much: %v", err)
			}
		})
	}
}

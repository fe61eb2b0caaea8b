package main

import (
	"testing"

	"github.com/cellwall/cellwall/environment"
	"github.com/cellwall/cellwall/environments"
)

func TestElsewhere_names_the_smallest_environment_with_a_module(t *testing.T) {
	c := environment.Catalog{Builtin: environments.FS}
	for module, want := range map[string]string{
		"scipy": "python-stats", "seaborn": "python-stats", "sklearn": "python-ml-lite", "duckdb": "python-query",
		"torch": "", "": "", "x\x1b[2J": "",
	} {
		if got := environmentWith(c, module, defaultEnvironment); got != want {
			t.Errorf("%q is in %q, want %q", module, got, want)
		}
	}
	if got := environmentWith(c, "scipy", "python-stats"); got != "python-ml-lite" {
		t.Errorf("where python-stats lacks it: %q", got)
	}
}

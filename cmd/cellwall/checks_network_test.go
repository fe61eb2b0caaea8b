package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/observe"
	"github.com/cellwall/cellwall/policy"
)

// What the rule network advises against is told of as the network where it is not
// installed, whether the profile has the rule or not: who reads "not installed" tries
// urllib next.
func TestM10_AModuleOfTheRuleNetworkIsToldOfAsTheNetwork(t *testing.T) {
	rules := policy.Shipped(policy.Default)
	at := slices.IndexFunc(rules, func(r policy.Rule) bool { return r.Name == "network" })
	if at < 0 || len(rules[at].For) < 10 {
		t.Fatal("the rule has gone")
	}
	told := func(module string, found ...cellwall.Finding) string {
		return observe.Observe(observe.Input{Result: &cellwall.Result{
			Status: cellwall.StatusError, Findings: found,
			Error: &cellwall.ExecutionError{Type: "ModuleNotFoundError", Message: "No module named '" + module + "'", Name: module},
		}}).RetryHint
	}
	for _, module := range rules[at].For {
		if strings.HasPrefix(module, "urllib.") || strings.HasPrefix(module, "http.") {
			continue // Python's own: it is there, and fails when it connects
		}
		if hint := told(module); !strings.Contains(hint, "network is off") {
			t.Errorf("%s: %q", module, hint)
		}
	}
	if hint := told("prophet"); strings.Contains(hint, "network") {
		t.Errorf("prophet: %q", hint)
	}
	own := cellwall.Finding{Rule: "network", Line: 1, Advice: true, Message: "snowflake needs a network, and the sandbox has none"}
	if hint := told("snowflake", own); !strings.Contains(hint, "network is off") {
		t.Errorf("of a rule that the tenant changed: %q", hint)
	}
}

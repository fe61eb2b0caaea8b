package api

import "testing"

// A row without a scope is open to the world: each has its reason here.
func TestM42_WhatIsOpenIsNamed(t *testing.T) {
	open := map[string]string{
		"health": "yes or no", "ready": "yes or no", "openapi": "the same for everybody", "docs": "the same for everybody", "openLink": "signed",
	}
	for _, r := range routes {
		if r.scope == "" && open[r.id] == "" {
			t.Errorf("%s is open to everybody", r.pattern())
		}
		if r.body == 0 && r.method != "GET" && r.method != "DELETE" && !r.is(pieces) {
			t.Errorf("%s takes no body", r.pattern())
		}
	}
}

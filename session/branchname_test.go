package session

import (
	"strings"
	"testing"
)

func TestM40_WhatABranchMayBeCalled(t *testing.T) {
	for name, want := range map[string]bool{
		"main": true, "v2.1_b-c": true, "试验": true, "Ⅷ": true, "½": true, "7": true,
		strings.Repeat("字", 64): true, strings.Repeat("字", 65): false,
		"": false, "_a": false, ".a": false, "-a": false, "a b": false, "a/b": false, "a\n": false, "a\x00": false, "a\xff": false, "é": true, "e\u0301": false,
	} {
		if got := IsBranchName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

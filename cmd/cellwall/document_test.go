package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestO112_ADocumentShowsWhatItHolds(t *testing.T) {
	for _, hostile := range []string{
		"\u202egnp.exe", "a\u2066b\u2069", "\x1b[2J", "\u009b31m", "\x7f", "line\u2028end", "\U000e0041tag", "\\u202e", "zero\u200bwidth",
	} {
		raw, err := json.Marshal(map[string]string{"warning": hostile, hostile: "name"})
		if err != nil {
			t.Fatal(err)
		}
		shown := shownJSON(raw)
		if strings.ContainsFunc(string(shown), unshown) {
			t.Errorf("%q is printed as %q", hostile, shown)
		}
		var before, after map[string]string
		if json.Unmarshal(raw, &before) != nil || json.Unmarshal(shown, &after) != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%q became another document: %q", hostile, shown)
		}
	}
	plain := []byte("{\n  \"列\": \"é 😀\"\n}\n")
	if got := shownJSON(plain); string(got) != string(plain) {
		t.Errorf("%q became %q", plain, got)
	}
}

package store

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cellwall/cellwall"
)

var ofMissing = regexp.MustCompile(`missing\("([^"]+)"\)|s\.change\(ctx, "[^"]+", "([^"]+)"`)

func TestMissing_WhateverIsNotFoundComesWithAWordWhereToLook(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range ofMissing.FindAllSubmatch(text, -1) {
			kinds[string(found[1])+string(found[2])] = true
		}
	}
	for what := range kinds {
		if cellwall.HintOf(missing(what)) == "" {
			t.Errorf("%s: no hint", what)
		}
	}
	if len(kinds) < 6 {
		t.Errorf("only %v were found in the source", kinds)
	}
}

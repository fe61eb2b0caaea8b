package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cellwall/cellwall/environment"
)

func TestProgress(t *testing.T) {
	events := []environment.Event{
		{Step: environment.StepWait, Item: "another build is running"},
		{Step: environment.StepDebs, Item: "libc6", Done: 1 << 20, Total: 4 << 20},
		{Step: environment.StepDebs, Item: "python", Done: 4 << 20, Total: 4 << 20},
		{Step: environment.StepUnpack, Item: "libc6", Done: 1, Total: 2},
		{Step: environment.StepBytecode, Item: "pandas"},
		{Step: environment.StepNotice, Item: "its digest differs"},
	}
	show := func(terminal bool) string {
		path := filepath.Join(t.TempDir(), "screen")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		p := newProgress(&screen{file: f, terminal: terminal})
		for _, e := range events {
			p.report(e)
		}
		p.finish()
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	t.Run("a line a step where nothing can be drawn over", func(t *testing.T) {
		want := strings.Join([]string{
			"cellwall: another build is running", "cellwall: debs 1.0 MiB of 4.0 MiB", "cellwall: unpack 1 of 2",
			"cellwall: bytecode pandas", "cellwall: its digest differs", "",
		}, "\n")
		if got := show(false); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("a bar on a terminal, which leaves only the sentences", func(t *testing.T) {
		got := show(true)
		if !strings.Contains(got, "debs") || !strings.Contains(got, "\r") {
			t.Errorf("no bar in %q", got)
		}
		if !strings.Contains(got, "cellwall: its digest differs\n") {
			t.Errorf("no notice in %q", got)
		}
	})
}

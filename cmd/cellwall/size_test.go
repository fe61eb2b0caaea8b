package main

import (
	"strings"
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1048576": 1 << 20, "1b": 1, "1K": 1 << 10, "512MiB": 512 << 20, "512 MiB": 512 << 20, "64m": 64 << 20,
		"1G": 1 << 30, "1.5GiB": 3 << 29, "1GB": 1_000_000_000, "2TiB": 2 << 40,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1e9", "0x10", "12q", "1.2.3M", "0", "inf", "NaN", "9999999TiB", "1 2"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("parseSize(%q) = %d, want an error", text, got)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"1G", "0.5m", "-1", "1e3", strings.Repeat("9", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := parseSize(s); err == nil && n < 1 {
			t.Errorf("parseSize(%q) = %d", s, n)
		}
	})
}

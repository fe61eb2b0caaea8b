package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a number of bytes as people write it: 512MiB, 1G, 64m, 1048576. G
// and GiB are 2^30, GB is 10^9.
type size int64

var units = map[string]int64{
	"": 1, "b": 1,
	"k": 1 << 10, "ki": 1 << 10, "kib": 1 << 10, "kb": 1e3,
	"m": 1 << 20, "mi": 1 << 20, "mib": 1 << 20, "mb": 1e6,
	"g": 1 << 30, "gi": 1 << 30, "gib": 1 << 30, "gb": 1e9,
	"t": 1 << 40, "ti": 1 << 40, "tib": 1 << 40, "tb": 1e12,
}

// UnmarshalText reads a size for the parser of flags.
func (s *size) UnmarshalText(text []byte) error {
	n, err := parseSize(string(text))
	*s = size(n)
	return err
}

func parseSize(text string) (int64, error) {
	text = strings.TrimSpace(text)
	end := strings.LastIndexAny(text, "0123456789.") + 1
	unit, known := units[strings.ToLower(strings.TrimSpace(text[end:]))]
	number, err := strconv.ParseFloat(text[:end], 64)
	if err != nil || !known || strings.ContainsAny(text[:end], "eExXpP_+-") {
		return 0, fmt.Errorf("%q is no size; write for example 512MiB or 1G", text)
	}
	bytes := number * float64(unit)
	if bytes < 1 || bytes >= math.MaxInt64 {
		return 0, fmt.Errorf("size %q is out of range", text)
	}
	return int64(bytes), nil
}

// formatSize writes a number of bytes for a person.
func formatSize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

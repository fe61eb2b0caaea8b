package main

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// sameKey reports whether a key of the file is a field: memory_bytes is MemoryBytes.
func sameKey(key, field string) bool {
	return strings.EqualFold(strings.ReplaceAll(key, "_", ""), field)
}

// readDuration takes "30s" and "90d". A number alone is nobody's unit.
func readDuration(from, to reflect.Type, value any) (any, error) {
	if to != reflect.TypeFor[time.Duration]() || from == to {
		return value, nil
	}
	text, ok := value.(string)
	if !ok {
		return nil, fmt.Errorf("%v has no unit: write \"30s\", \"15m\", \"90d\"", value)
	}
	return parseDuration(text)
}

// parseDuration is that of package time, and knows days.
func parseDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err == nil && n >= 0 && n < 36_500 {
			return time.Duration(n * 24 * float64(time.Hour)), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		if n, bare := strconv.ParseFloat(text, 64); bare == nil && n >= 0 {
			return 0, fmt.Errorf("%q has no unit: write \"%ss\" for seconds, \"15m\", \"90d\"", text, text)
		}
		return 0, fmt.Errorf("%q is no duration: write \"30s\", \"15m\", \"90d\"", text)
	}
	return d, nil
}

// readSize takes "512MiB" for a number of bytes.
func readSize(_, to reflect.Type, value any) (any, error) {
	text, ok := value.(string)
	if !ok || to != reflect.TypeFor[int64]() {
		return value, nil
	}
	n, err := parseSize(text)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// oneSentence puts the list of what a decoder found into one sentence.
func oneSentence(err error) error {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' })
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "* ")
	}
	if len(lines) > 1 && strings.HasSuffix(lines[0], ":") {
		lines = lines[1:]
	}
	return errors.New(strings.Join(lines, "; "))
}

// level is the least that is logged.
func (l logSettings) level() (level slog.Level, err error) {
	if l.Level == "" {
		return slog.LevelInfo, nil
	}
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return 0, fmt.Errorf("%q is none of debug, info, warn, error", l.Level)
	}
	return level, nil
}

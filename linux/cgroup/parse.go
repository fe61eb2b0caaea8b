package cgroup

import (
	"fmt"
	"strconv"
	"strings"
)

// parseFlat reads a flat-keyed file ("key value" lines) such as memory.events
// or cpu.stat. Values that are not whole numbers are an error.
func parseFlat(text string) (map[string]int64, error) {
	values := make(map[string]int64)
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || key == "" {
			return nil, fmt.Errorf("parse flat-keyed file: malformed line %q", clip(line))
		}
		n, err := parseNumber(value)
		if err != nil {
			return nil, err
		}
		values[key] = n
	}
	return values, nil
}

// parseNumber reads a single count. "max" is no limit and reads as -1; a number
// above the range of int64 (v1 says no limit so) reads as the largest.
func parseNumber(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "max" {
		return -1, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("parse number: %q is not one", clip(text))
	}
	return int64(min(n, 1<<63-1)), nil
}

// parsePIDs reads cgroup.procs. A process of a pid namespace that we do not see
// reads as 0 and cannot be addressed: it is an error rather than overlooked.
func parsePIDs(text string) ([]int, error) {
	var pids []int
	for field := range strings.FieldsSeq(text) {
		n, err := strconv.ParseInt(field, 10, 32)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("parse process list: %q is no process that we see", clip(field))
		}
		pids = append(pids, int(n))
	}
	return pids, nil
}

// validName reports whether s may name an instance or a group: letters, digits,
// "-" and "_", at most 64. A dot is refused because the kernel's own files have
// one, and a slash because a name is never a path.
func validName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

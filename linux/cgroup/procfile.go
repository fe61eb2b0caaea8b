package cgroup

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// mount is one line of mountinfo that shows a hierarchy.
type mount struct {
	root    string   // cgroup path that the mount point shows
	point   string   // where it is mounted
	v2      bool     // file system type cgroup2
	options []string // super options; v1 names its controllers here
}

// dir maps a cgroup path to a directory below the mount point. A path outside
// the mount's root has none: it maps to "".
func (m mount) dir(cgroup string) string {
	switch {
	case m.root == "/":
		return path.Join(m.point, cgroup)
	case cgroup == m.root:
		return m.point
	case strings.HasPrefix(cgroup, m.root+"/"):
		return path.Join(m.point, cgroup[len(m.root):])
	}
	return ""
}

// parseMountinfo returns the cgroup mounts of /proc/self/mountinfo in order.
// Lines of other file systems are skipped; a malformed line is an error.
func parseMountinfo(text string) ([]mount, error) {
	var mounts []mount
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		dash := slices.Index(fields, "-")
		if dash < 6 || len(fields) < dash+3 {
			return nil, fmt.Errorf("parse mountinfo: malformed line %q", clip(line))
		}
		kind := fields[dash+1]
		if kind != "cgroup" && kind != "cgroup2" {
			continue
		}
		m := mount{root: unescape(fields[3]), point: unescape(fields[4]), v2: kind == "cgroup2"}
		if len(fields) > dash+3 {
			m.options = strings.Split(fields[dash+3], ",")
		}
		if !path.IsAbs(m.root) || !path.IsAbs(m.point) {
			return nil, fmt.Errorf("parse mountinfo: relative path in %q", clip(line))
		}
		mounts = append(mounts, m)
	}
	return mounts, nil
}

// unescape undoes the kernel's \ooo for space, tab, newline and backslash.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// parseMembership reads /proc/PID/cgroup: controller name to cgroup path. The
// v2 line has the name "". A named v1 tree without controllers is left out.
func parseMembership(text string) (map[string]string, error) {
	member := make(map[string]string)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		id, rest, ok := strings.Cut(line, ":")
		names, where, ok2 := strings.Cut(rest, ":")
		if _, err := strconv.ParseUint(id, 10, 31); !ok || !ok2 || err != nil || !path.IsAbs(where) {
			return nil, fmt.Errorf("parse cgroup membership: malformed line %q", clip(line))
		}
		if strings.HasPrefix(names, "name=") {
			continue
		}
		for name := range strings.SplitSeq(names, ",") {
			member[name] = where
		}
	}
	return member, nil
}

// clip bounds what an error message quotes.
func clip(s string) string {
	if len(s) > 120 {
		return s[:120] + "…"
	}
	return s
}

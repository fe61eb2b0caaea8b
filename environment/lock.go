package environment

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	debLockFile    = "debs.lock"
	pythonLockFile = "requirements.lock"
)

// Deb is one locked Debian package. Filename is relative to a mirror's base
// address, as in "pool/main/z/zlib/zlib1g_1.3_amd64.deb".
type Deb struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	SHA256   string `json:"sha256"` // 64 hex digits
	Size     int64  `json:"size"`   // bytes
	Filename string `json:"filename"`
}

// Requirement is one locked Python package: exactly one wheel.
type Requirement struct {
	Name    string
	Version string
	SHA256  string // 64 hex digits
}

var (
	debName     = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)
	debVersion  = regexp.MustCompile(`^[A-Za-z0-9.+:~-]+$`)
	wheelName   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	pyVersion   = regexp.MustCompile(`^[A-Za-z0-9.+!_-]+$`)
	requireLine = regexp.MustCompile(`^(\S+)==(\S+)\s+--hash=sha256:(\S+)$`)
)

// ParseDebLock reads debs.lock: lines of five fields; "#" starts a comment.
func ParseDebLock(raw []byte) ([]Deb, error) {
	var debs []Deb
	err := lockLines(raw, func(line string) error {
		f := strings.Fields(line)
		if len(f) != 5 {
			return fmt.Errorf("%d fields, want name version sha256 size filename", len(f))
		}
		size, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			return fmt.Errorf("size %q is no number", f[3])
		}
		d := Deb{Name: f[0], Version: f[1], SHA256: f[2], Size: size, Filename: f[4]}
		if err := d.validate(); err != nil {
			return err
		}
		debs = append(debs, d)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", debLockFile, err)
	}
	return debs, nil
}

func (d Deb) validate() error {
	switch {
	case !debName.MatchString(d.Name):
		return fmt.Errorf("%q is no name of a package", d.Name)
	case !debVersion.MatchString(d.Version):
		return fmt.Errorf("%s: %q is no version", d.Name, d.Version)
	case !isSHA256(d.SHA256):
		return fmt.Errorf("%s: %q is no SHA-256", d.Name, d.SHA256)
	case d.Size <= 0:
		return fmt.Errorf("%s: size %d", d.Name, d.Size)
	case path.Clean("/"+d.Filename) != "/"+d.Filename || !strings.HasSuffix(d.Filename, ".deb"):
		return fmt.Errorf("%s: %q is no path below a mirror", d.Name, d.Filename)
	}
	return nil
}

// FormatDebLock is the inverse of ParseDebLock, sorted by name.
func FormatDebLock(debs []Deb) []byte {
	sorted := slices.SortedFunc(slices.Values(debs), func(a, b Deb) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	b.WriteString("# Debian packages: name version sha256 size filename. Written by `cellwall env update`.\n")
	for _, d := range sorted {
		fmt.Fprintf(&b, "%s %s %s %d %s\n", d.Name, d.Version, d.SHA256, d.Size, d.Filename)
	}
	return b.Bytes()
}

// ParsePythonLock reads requirements.lock: "name==version --hash=sha256:HEX",
// one wheel each; a backslash continues a line, "#" starts a comment.
func ParsePythonLock(raw []byte) ([]Requirement, error) {
	joined := regexp.MustCompile(`\\\r?\n`).ReplaceAll(raw, []byte(" "))
	var reqs []Requirement
	err := lockLines(joined, func(line string) error {
		m := requireLine.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("%q is not name==version --hash=sha256:HEX", line)
		}
		r := Requirement{Name: m[1], Version: m[2], SHA256: m[3]}
		if !wheelName.MatchString(r.Name) || !pyVersion.MatchString(r.Version) || !isSHA256(r.SHA256) {
			return fmt.Errorf("%q is not a normal name, a version and a SHA-256", line)
		}
		reqs = append(reqs, r)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", pythonLockFile, err)
	}
	return reqs, nil
}

// FormatPythonLock is the inverse of ParsePythonLock, sorted by name.
func FormatPythonLock(reqs []Requirement) []byte {
	sorted := slices.SortedFunc(slices.Values(reqs), func(a, b Requirement) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	b.WriteString("# Python packages, one wheel each. Written by `cellwall env update`.\n")
	for _, r := range sorted {
		fmt.Fprintf(&b, "%s==%s \\\n    --hash=sha256:%s\n", r.Name, r.Version, r.SHA256)
	}
	return b.Bytes()
}

// lockLines calls each for every line that is not empty or a comment, and
// names the line of an error.
func lockLines(raw []byte, each func(string) error) error {
	s := bufio.NewScanner(bytes.NewReader(raw))
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := each(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s.Err()
}

func isSHA256(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == 32 && strings.ToLower(s) == s
}

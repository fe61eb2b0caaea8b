package environment

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// stanza is one paragraph of a Debian control file: field name to value, the
// lines of a longer value joined by newlines.
type stanza map[string]string

// maxControlLine bounds a line of a control file, in bytes.
const maxControlLine = 1 << 20

// parseControl reads paragraphs separated by empty lines.
func parseControl(r io.Reader) ([]stanza, error) {
	var all []stanza
	var cur stanza
	var field string
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), maxControlLine)
	for n := 1; s.Scan(); n++ {
		line := s.Text()
		switch {
		case strings.TrimSpace(line) == "":
			cur, field = nil, ""
		case line[0] == ' ' || line[0] == '\t':
			if field == "" {
				return nil, fmt.Errorf("parse control file: line %d continues nothing", n)
			}
			cur[field] += "\n" + strings.TrimSpace(line)
		default:
			name, value, ok := strings.Cut(line, ":")
			if !ok || name == "" {
				return nil, fmt.Errorf("parse control file: line %d has no field name", n)
			}
			if cur == nil {
				cur = stanza{}
				all = append(all, cur)
			}
			field = name
			cur[field] = strings.TrimSpace(value)
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("parse control file: %w", err)
	}
	return all, nil
}

// debsNamed turns stanzas of an index into locked packages, one for each name
// in order. A name without a stanza is an error; of several the first counts.
func debsNamed(stanzas []stanza, names []string) ([]Deb, error) {
	found := map[string]Deb{}
	for _, s := range stanzas {
		name := s["Package"]
		if _, twice := found[name]; twice {
			continue
		}
		size, err := strconv.ParseInt(s["Size"], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read index: size of %q: %w", name, err)
		}
		d := Deb{Name: name, Version: s["Version"], SHA256: s["SHA256"], Size: size, Filename: s["Filename"]}
		if err := d.validate(); err != nil {
			return nil, fmt.Errorf("read index: %w", err)
		}
		found[name] = d
	}
	debs := make([]Deb, 0, len(names))
	for _, n := range names {
		d, ok := found[n]
		if !ok {
			return nil, fmt.Errorf("read index: no package %q", n)
		}
		debs = append(debs, d)
	}
	return debs, nil
}

package environment

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// indexLine is what apt says that it would fetch for one component of a
// source: '<base>/dists/<release>/<component>/binary-<architecture>/…'.
var indexLine = regexp.MustCompile(`^'([^']+)/dists/([^/']+)/([^/']+)/binary-[^/']+/`)

// debianReleases are the names under which a source is Debian's own archive. A
// mirror of one of them carries the pool of all.
var debianReleases = []string{
	"bullseye", "bookworm", "trixie", "forky", "duke", "sid",
	"oldoldstable", "oldstable", "stable", "testing", "unstable",
}

// debianMirrors picks the base addresses of Debian's main archive from what
// `apt-get update --print-uris` prints, in order and once each.
func debianMirrors(uris string) []string {
	var mirrors []string
	for line := range strings.Lines(uris) {
		m := indexLine.FindStringSubmatch(line)
		if m == nil || m[3] != "main" || !slices.Contains(debianReleases, m[2]) {
			continue
		}
		base := strings.TrimRight(m[1], "/") + "/"
		if !slices.Contains(mirrors, base) {
			mirrors = append(mirrors, base)
		}
	}
	return mirrors
}

// findKeyring returns the file that Debian's index is verified with.
func (a *apt) findKeyring() (string, error) {
	if a.keyring != "" {
		return a.keyring, nil
	}
	for _, p := range []string{
		"/usr/share/keyrings/debian-archive-keyring.pgp",
		"/usr/share/keyrings/debian-archive-keyring.gpg",
		"/etc/apt/trusted.gpg.d/debian-archive-" + a.suite + "-stable.asc",
		"/etc/apt/trusted.gpg.d/debian-archive-" + a.suite + "-stable.gpg",
	} {
		if _, err := os.Stat(p); err == nil {
			return p, nil
		}
	}
	return "", &cellwall.Error{
		Code: cellwall.CodeInternal, Op: "verify the index of " + a.suite, Err: os.ErrNotExist,
		Hint: "install the package debian-archive-keyring",
	}
}

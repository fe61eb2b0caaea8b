package environment

import (
	"os"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// indexFormat is what apt is asked to print for each configured index.
const indexFormat = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)"

// debianReleases are the names under which a source is Debian's own archive. A
// mirror of one of them carries the pool of all.
var debianReleases = []string{
	"bullseye", "bookworm", "trixie", "forky", "duke", "sid",
	"oldoldstable", "oldstable", "stable", "testing", "unstable",
}

// debianMirrors picks the base addresses of Debian's main archive from apt's
// answer to indexFormat, in order and once each.
func debianMirrors(targets string) []string {
	var mirrors []string
	for line := range strings.Lines(targets) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 3 || f[2] != "main" || !slices.Contains(debianReleases, f[1]) {
			continue
		}
		base := strings.TrimRight(f[0], "/") + "/"
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

package environment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cellwall/cellwall"
)

// apt drives the host's apt clients without touching the host's package state:
// every directory they write is private.
type apt struct {
	mirrors []string // base addresses with a trailing slash, in the order to try
	keyring string
	suite   string
	arch    string
	dir     string // private state
	updated bool   // the index was read
}

// aptHelper is where Debian and Ubuntu keep the client that fetches one file.
const aptHelper = "/usr/lib/apt/apt-helper"

// newApt finds the mirror and the keyring.
func newApt(ctx context.Context, d Declaration, opts Options, dir string) (*apt, error) {
	a := &apt{suite: d.Suite, arch: d.Architecture, dir: dir, keyring: opts.Keyring}
	if opts.Mirror != "" {
		a.mirrors = []string{strings.TrimRight(opts.Mirror, "/") + "/"}
		return a, nil
	}
	var out bytes.Buffer
	err := command{
		Path: "apt-get", Env: passEnv("APT_CONFIG="), Out: &out,
		Args: []string{"update", "--print-uris"}, // which needs no privilege and fetches nothing
	}.run(ctx)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, aptMissing(err)
	}
	if err != nil {
		return nil, fmt.Errorf("read apt's sources: %w", err)
	}
	if a.mirrors = debianMirrors(out.String()); len(a.mirrors) == 0 {
		return nil, &cellwall.Error{
			Code: cellwall.CodeInternal, Op: "find a Debian mirror",
			Err:  errors.New("apt's configuration on this host names none"),
			Hint: "name one with --mirror (and install debian-archive-keyring to renew locks)",
		}
	}
	return a, nil
}

func aptMissing(cause error) error {
	return &cellwall.Error{
		Code: cellwall.CodeInternal, Op: "fetch Debian packages", Err: cause,
		Hint: "a build needs apt, as Debian and Ubuntu have it; a filled cache builds with --offline anywhere",
	}
}

// fetch downloads one locked package to file. A mirror that does not have it
// gives errGone.
func (a *apt) fetch(ctx context.Context, d Deb, file string) error {
	if _, err := os.Stat(aptHelper); err != nil {
		return aptMissing(err)
	}
	var last error
	for _, m := range a.mirrors {
		err := command{
			Path: aptHelper, Env: passEnv("APT_CONFIG="),
			Args: []string{
				"-o", "APT::Sandbox::User=", "-o", "Acquire::Retries=3",
				"download-file", m + escapePool(d.Filename), file, "SHA256:" + d.SHA256,
			},
		}.run(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if said(err, "404") || said(err, "File not found") {
			err = fmt.Errorf("%w: %w", errGone, err)
		}
		last = err
	}
	return last
}

var errGone = errors.New("the mirror does not have it")

// escapePool quotes what mirrors quote in file names; a lock keeps the plain
// name of the index.
func escapePool(name string) string {
	return strings.NewReplacer("%", "%25", "+", "%2b", "~", "%7e", ":", "%3a").Replace(name)
}

// update fetches the suite's index and lets apt verify its signature.
func (a *apt) update(ctx context.Context) error {
	keyring, err := a.findKeyring()
	if err != nil {
		return err
	}
	for _, d := range []string{"lists/partial", "cache/archives/partial", "etc"} {
		if err := os.MkdirAll(filepath.Join(a.dir, d), 0o755); err != nil {
			return fmt.Errorf("make apt state: %w", err)
		}
	}
	for _, m := range a.mirrors {
		if err = a.readIndex(ctx, m, keyring); err == nil || ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, exec.ErrNotFound) {
		return aptMissing(err)
	}
	if err != nil {
		return &cellwall.Error{
			Code: cellwall.CodeInternal, Op: "read the index of " + a.suite, Err: err,
			Hint: "check the network and the proxy, or name another mirror with --mirror",
		}
	}
	a.updated = true
	return nil
}

// readIndex fetches the index of one mirror and nothing else.
func (a *apt) readIndex(ctx context.Context, mirror, keyring string) error {
	source := fmt.Sprintf("deb [arch=%s signed-by=%s] %s %s main\n", a.arch, keyring, mirror, a.suite)
	for name, text := range map[string]string{"sources.list": source, "status": ""} {
		if err := os.WriteFile(filepath.Join(a.dir, "etc", name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("make apt state: %w", err)
		}
	}
	return command{Path: "apt-get", Env: passEnv("APT_CONFIG="), Args: a.private("update", "-q", "--error-on=any")}.run(ctx)
}

// current returns what the verified index has now for each name.
func (a *apt) current(ctx context.Context, names []string) ([]Deb, error) {
	var out bytes.Buffer
	err := command{
		Path: "apt-cache", Env: passEnv("APT_CONFIG="), Out: &out,
		Args: a.private(append([]string{"show", "--no-all-versions"}, names...)...),
	}.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up packages of %s: %w", a.suite, err)
	}
	stanzas, err := parseControl(&out)
	if err != nil {
		return nil, fmt.Errorf("look up packages of %s: %w", a.suite, err)
	}
	return debsNamed(stanzas, names)
}

// private puts the options before args that keep apt away from the host's
// package state.
func (a *apt) private(args ...string) []string {
	etc := filepath.Join(a.dir, "etc")
	return append([]string{
		"-o", "Dir::State=" + a.dir, "-o", "Dir::State::lists=" + filepath.Join(a.dir, "lists"),
		"-o", "Dir::State::status=" + filepath.Join(etc, "status"),
		"-o", "Dir::Cache=" + filepath.Join(a.dir, "cache"),
		"-o", "Dir::Etc::sourcelist=" + filepath.Join(etc, "sources.list"), "-o", "Dir::Etc::sourceparts=/dev/null",
		"-o", "Dir::Etc::preferences=/dev/null", "-o", "Dir::Etc::preferencesparts=/dev/null",
		"-o", "APT::Architecture=" + a.arch, "-o", "APT::Architectures::=" + a.arch,
		"-o", "APT::Sandbox::User=", "-o", "Acquire::Languages=none", "-o", "Acquire::Retries=3",
	}, args...)
}

package main

import (
	"context"

	"github.com/cellwall/cellwall/environment"
)

// sourceFlags say where packages come from.
type sourceFlags struct {
	Mirror  string `placeholder:"URL" help:"Debian mirror (default: the one apt uses)."`
	Keyring string `placeholder:"FILE" type:"path" help:"Keyring that verifies the mirror (default: the host's Debian keyring)."`
	Index   string `placeholder:"URL" help:"Python package index (default: the one pip uses)."`
	Offline bool   `help:"Use downloaded packages only."`
}

type envBuildVerb struct {
	Name string `arg:"" name:"NAME" help:"The environment, for example python-data-basic."`
	sourceFlags
	Force bool `help:"Build although it is there and current."`
	JSON  bool `name:"json" help:"Print what was built as one document."`
}

// Help is the part of the help that shows how it is used.
func (*envBuildVerb) Help() string {
	return `Examples:

  cellwall env build python-data-basic
  cellwall env build python-data-basic --offline

A build that was interrupted goes on where it was. Proxies are taken from where
apt and pip take them.`
}

// Run builds and says what came out.
func (v *envBuildVerb) Run(ctx context.Context, p *program, c *config) error {
	store := openStore(c)
	progress := newProgress(p.stderr)
	opts := v.options()
	opts.Force, opts.Progress = v.Force, progress.report
	b, err := store.Build(ctx, v.Name, opts)
	progress.finish()
	if err != nil {
		return unknownEnvironment(store, v.Name, err)
	}
	if v.JSON {
		return p.printJSON(b)
	}
	for _, drift := range b.Drift {
		p.stderr.say(plain, "warning: ", drift)
	}
	p.stdout.printf("%s %s, %s unpacked, %s packed\n", b.Name, shortDigest(b.Digest), formatSize(b.Bytes), formatSize(b.Packed))
	return nil
}

func (s *sourceFlags) options() environment.Options {
	return environment.Options{Mirror: s.Mirror, Keyring: s.Keyring, Index: s.Index, Offline: s.Offline}
}

type envUpdateVerb struct {
	Name string `arg:"" name:"NAME" help:"The environment."`
	sourceFlags
	Into string `placeholder:"DIR" type:"path" help:"Write the locks below DIR instead of the state directory."`
	JSON bool   `name:"json" help:"Print the changes as one document."`
}

// Run locks the newest versions and lists what changed.
func (v *envUpdateVerb) Run(ctx context.Context, p *program, c *config) error {
	store := openStore(c)
	progress := newProgress(p.stderr)
	opts := v.options()
	opts.Progress = progress.report
	changes, err := store.Update(ctx, v.Name, v.Into, opts)
	progress.finish()
	if err != nil {
		return unknownEnvironment(store, v.Name, err)
	}
	if v.JSON {
		if changes == nil {
			changes = []environment.Change{}
		}
		return p.printJSON(changes)
	}
	for _, ch := range changes {
		p.stdout.printf("%s %s: %s → %s\n", ch.Kind, ch.Name, orNone(ch.Old), orNone(ch.New))
	}
	if len(changes) == 0 {
		p.stdout.printf("nothing is newer\n")
	}
	return nil
}

func orNone(version string) string {
	if version == "" {
		return "none"
	}
	return version
}

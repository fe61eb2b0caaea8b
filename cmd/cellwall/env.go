package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/environment"
)

// envVerb is "cellwall env".
type envVerb struct {
	List   envListVerb   `cmd:"" help:"List the known environments."`
	Build  envBuildVerb  `cmd:"" help:"Build an environment from its lock."`
	Show   envShowVerb   `cmd:"" help:"Show what was built: digest, packages, size."`
	Verify envVerifyVerb `cmd:"" help:"Compare every byte of an environment with its manifest."`
	Update envUpdateVerb `cmd:"" help:"Lock the newest versions; build afterwards."`
}

type envListVerb struct {
	JSON bool `name:"json" help:"Print one document."`
}

// Run lists what is declared and what is built.
func (v *envListVerb) Run(p *program, c *config) error {
	list, err := openStore(c).List()
	if err != nil {
		return err
	}
	if v.JSON {
		return p.printJSON(list)
	}
	tw := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "NAME\tBUILT\tSIZE\tWHAT")
	for _, e := range list {
		built, size := "no", ""
		if e.Built != nil {
			built, size = shortDigest(e.Built.Digest), formatSize(e.Built.Bytes)
		}
		if e.Stale {
			built += " (lock is newer)"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", e.Name, built, size, e.Summary)
	}
	return tw.Flush()
}

type envShowVerb struct {
	Name string `arg:"" name:"NAME" help:"The environment."`
	JSON bool   `name:"json" help:"Print one document."`
}

// Run shows one built environment.
func (v *envShowVerb) Run(p *program, c *config) error {
	store := openStore(c)
	b, err := store.Show(v.Name)
	if err != nil {
		return unknownEnvironment(store, v.Name, err)
	}
	if v.JSON {
		return p.printJSON(b)
	}
	p.stdout.printf("%s\ndigest       %s\nroot         %s\nunpacked     %s\npacked       %s\ninterpreter  %s\n\n",
		b.Name, b.Digest, b.Root, formatSize(b.Bytes), formatSize(b.Packed), b.Interpreter)
	tw := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	for _, pkg := range b.Packages {
		fmt.Fprintf(tw, "%s\t%s\n", pkg.Name, pkg.Version)
	}
	return tw.Flush()
}

type envVerifyVerb struct {
	Name string `arg:"" name:"NAME" help:"The environment."`
}

// Run names the first file that differs, or says that none does.
func (v *envVerifyVerb) Run(ctx context.Context, p *program, c *config) error {
	store := openStore(c)
	if err := store.Verify(ctx, v.Name); err != nil {
		return unknownEnvironment(store, v.Name, err)
	}
	p.stdout.printf("%s is what its manifest says\n", v.Name)
	return nil
}

func shortDigest(digest string) string {
	const kept = len("sha256:") + 12
	return digest[:min(len(digest), kept)]
}

// unknownEnvironment makes a mistyped name a mistake of usage, which a missing
// build is not.
func unknownEnvironment(store *environment.Store, name string, err error) error {
	if cellwall.CodeOf(err) != cellwall.CodeEnvironmentMissing {
		return err
	}
	names, listErr := store.Catalog.Names()
	if listErr != nil || slices.Contains(names, name) {
		return err
	}
	return usage("choose environment", fmt.Errorf("%q is not one", name), "known environments: "+strings.Join(names, ", "))
}

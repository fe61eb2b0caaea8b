package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/cellwall/cellwall"
)

// doctorVerb is "cellwall doctor".
type doctorVerb struct {
	JSON bool `name:"json" help:"Print one document."`
}

// diagnosis is what doctor prints.
type diagnosis struct {
	Backend  string         `json:"backend"` // the default one
	Usable   bool           `json:"usable"`  // it runs without --allow-degraded
	Backends []backendState `json:"backends"`
}

// backendState is a backend's report with the properties that follow from it.
type backendState struct {
	cellwall.Report
	Properties []property `json:"properties"`
}

// Help is the part of the help that says what the words mean.
func (*doctorVerb) Help() string {
	return `For each protection of each backend: enforced, degraded (it holds, but weaker)
or missing, by which mechanism, and what to do about it; then the same for each
of the 24 properties that rest on them. "by construction" is one that rests on
nothing of the host: no look at it can tell, the test or row of the corpus that
is named with it can. "not known" is one of a backend that could not be asked,
as where the state directory cannot be used. The exit status is 1 when the
default backend cannot run.`
}

// Run asks every backend what it can enforce here.
func (v *doctorVerb) Run(ctx context.Context, p *program, c *config) error {
	d := diagnosis{Backend: defaultBackend, Backends: []backendState{}}
	for _, name := range slices.Sorted(maps.Keys(p.backends)) {
		report := p.examine(ctx, name, c)
		d.Backends = append(d.Backends, backendState{report, propertiesOf(report)})
		d.Usable = d.Usable || name == defaultBackend && report.Usable
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if v.JSON {
		if err := p.printJSON(d); err != nil {
			return err
		}
	} else {
		p.printDiagnosis(d)
	}
	if !d.Usable {
		return status(exitNotOK)
	}
	return nil
}

func (p *program) printDiagnosis(d diagnosis) {
	for _, r := range d.Backends {
		p.stdout.printf("%s: %s\n", r.Backend, verdictOf(r.Report))
		tw := tabwriter.NewWriter(p.stdout, 2, 8, 2, ' ', 0)
		for _, x := range r.Protections {
			fmt.Fprintf(tw, "  %s\t%s\t%s\n", x.Name, x.State, x.Detail)
		}
		tw.Flush() // a screen that is gone does not hear the rest either
		for _, x := range r.Protections {
			if x.State != cellwall.Enforced && x.Hint != "" {
				p.stdout.printf("  %s: %s\n", x.Name, x.Hint)
			}
		}
		p.printProperties(r.Properties)
	}
}

// printProperties says how the promises of docs/THREATS.md stand here.
func (p *program) printProperties(all []property) {
	p.stdout.printf("  properties (docs/THREATS.md):\n")
	tw := tabwriter.NewWriter(p.stdout, 2, 8, 2, ' ', 0)
	for _, x := range all {
		fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\n", x.ID, x.State, x.Name, x.Detail)
	}
	tw.Flush() // as above
	for _, x := range all {
		if x.Hint != "" {
			p.stdout.printf("  %s: %s\n", x.ID, x.Hint)
		}
	}
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/rating"
	"github.com/cellwall/cellwall/store"
)

// ratingsVerb is "cellwall ratings".
type ratingsVerb struct {
	Export  ratingsExportVerb  `cmd:"" help:"Print the ratings of a tenant's executions, one JSON document a line."`
	Summary ratingsSummaryVerb `cmd:"" help:"Print means and agreement by model, prompt version and environment."`
}

// ratingsFlags choose ratings.
type ratingsFlags struct {
	bookFlags
	Tenant      string `required:"" placeholder:"NAME" help:"Whose executions."`
	Model       string `placeholder:"NAME" help:"Only of this model, as metadata.model says."`
	Prompt      string `name:"prompt-version" placeholder:"NAME" help:"Only of this one, as metadata.prompt_version says."`
	Environment string `placeholder:"NAME" help:"Only of this environment."`
	Since       string `placeholder:"2026-01-31" help:"Only those since this day (UTC), or this time."`
}

// open finds the tenant and the store of the service, whether that runs or not.
func (f *ratingsFlags) open(ctx context.Context, c *config) (_ *store.Store, tenant string, choose cellwall.RatingFilter, err error) {
	choose = cellwall.RatingFilter{Model: f.Model, Prompt: f.Prompt, Environment: f.Environment}
	if f.Since != "" {
		if choose.Since, err = time.Parse(time.DateOnly, f.Since); err != nil {
			if choose.Since, err = time.Parse(time.RFC3339, f.Since); err != nil {
				return nil, "", choose, usage("read --since", fmt.Errorf("%q is no day and no time", f.Since), "2026-01-31, or 2026-01-31T12:00:00Z")
			}
		}
	}
	flags := map[string]any{}
	if f.Database != "" {
		flags["database"] = f.Database
	}
	set, err := loadSettings(f.Config, os.Environ(), flags)
	if err != nil {
		return nil, "", choose, err
	}
	tenants, err := set.tenants()
	if err != nil {
		return nil, "", choose, err
	}
	kept, err := store.Open(ctx, cmp.Or(set.Database, store.Default(c.StateDir)), store.Options{})
	if err != nil {
		return nil, "", choose, err
	}
	desk, err := quota.New(ctx, quota.Options{Book: kept, Config: tenants, Defaults: set.Defaults})
	if err == nil {
		var t cellwall.Tenant
		t, err = namedTenant(desk, f.Tenant)
		tenant, err = t.ID, errors.Join(err, desk.Close())
	}
	if err != nil {
		return nil, "", choose, errors.Join(err, kept.Close())
	}
	return kept, tenant, choose, nil
}

type ratingsExportVerb struct{ ratingsFlags }

// Run prints ratings, oldest first.
func (v *ratingsExportVerb) Run(ctx context.Context, p *program, c *config) (err error) {
	kept, tenant, choose, err := v.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	lines := json.NewEncoder(p.stdout)
	lines.SetEscapeHTML(false)
	return kept.EachRating(ctx, tenant, choose, func(r cellwall.Rating) error { return lines.Encode(r) })
}

type ratingsSummaryVerb struct {
	ratingsFlags
	By     []string `enum:"model,prompt_version,environment" default:"model,prompt_version,environment" help:"What groups have in common."`
	Metric string   `enum:"ordinal,interval" default:"ordinal" help:"How different two scores are, for agreement."`
	JSON   bool     `name:"json" help:"Print one document."`
}

// Run prints what was said of each group, and how far those who said it agree.
func (v *ratingsSummaryVerb) Run(ctx context.Context, p *program, c *config) (err error) {
	kept, tenant, choose, err := v.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	groups, err := rating.Sum(func(take func(cellwall.Rating) error) error { return kept.EachRating(ctx, tenant, choose, take) }, v.By, v.Metric)
	if err != nil {
		return err
	}
	if v.JSON {
		return p.printJSON(append([]rating.Group{}, groups...))
	}
	tw := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "MODEL\tPROMPT\tENVIRONMENT\tRUNS\tRATINGS\tRATERS\tCORRECTNESS\tCOMPLETENESS\tFLUENCY\tATTRIBUTION")
	for _, g := range groups {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%d\t%d", nameOrDash(g.Model), nameOrDash(g.Prompt), nameOrDash(g.Environment), g.Executions, g.Ratings, g.Raters)
		for _, f := range []rating.Figure{g.Correctness, g.Completeness, g.Fluency, g.Attribution} {
			fmt.Fprintf(tw, "\t%s", figureText(f))
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

// figureText is a mean, and the agreement behind it where there is one.
func figureText(f rating.Figure) string {
	if f.Alpha == nil {
		return fmt.Sprintf("%.2f (α –)", f.Mean)
	}
	return fmt.Sprintf("%.2f (α %.2f)", f.Mean, *f.Alpha)
}

// nameOrDash is a caller's text in a table.
func nameOrDash(s string) string { return cmp.Or(strings.Map(printable, s), "–") }

// printable leaves out what would break a line of a table.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/dataset"
)

// allowHosts gives the box the tool that fetches, where the terms of its tenant name
// hosts.
func (b *sessionBox) allowHosts() {
	hosts := b.all.kept.terms(b.who.Tenant).FetchHosts
	b.toolbox.state.Hosts = strings.Join(hosts, ", ")
	if len(hosts) > 0 {
		b.toolbox.web = b.runs
	}
}

// fetch brings a file as a dataset of the tenant, and of the session from now on.
func (r *sessionRuns) fetch(ctx context.Context, url string) (t broughtTable, err error) {
	all, who := r.box.all, r.box.who
	if t, there, err := r.fetchedAlready(ctx); there || err != nil {
		return t, err
	}
	if len(r.box.plan.Datasets) >= cellwall.MaxInputs {
		return t, &cellwall.Error{Code: cellwall.CodeTooLarge, Op: "fetch address", Err: errors.New("the session has as many datasets as it may")}
	}
	most := cmp.Or(all.kept.terms(who.Tenant).Ceiling.InputBytes, cellwall.DefaultLimits().InputBytes)
	got, err := all.sources.Fetch(ctx, who, url, most)
	if err != nil {
		return t, err
	}
	var made cellwall.KeptDataset
	defer func() {
		if err = errors.Join(err, got.End(made, err)); err != nil && made.ID != "" {
			err = errors.Join(err, all.datasets.Delete(context.WithoutCancel(ctx), who.Tenant, made.ID))
		}
	}()
	name, err := r.freeName(ctx, got.Name)
	if err != nil {
		return t, err
	}
	if made, err = all.datasets.Hold(ctx, who, r.newDataset(), name, got.Content, most); err != nil {
		return t, err
	}
	if made, err = all.datasets.Keep(ctx, made); err != nil {
		return t, err
	}
	if t, err = r.take(ctx, made); err != nil {
		return t, err
	}
	r.box.plan.Datasets = append(r.box.plan.Datasets, made.ID)
	r.box.row.Tables = nil // there is one more
	r.box.row.Plan, err = json.Marshal(r.box.plan)
	return t, err
}

// fetchedAlready is what a service has brought for this call that died. Without a place
// in the session nobody can say whether it was recorded: then it is brought anew.
func (r *sessionRuns) fetchedAlready(ctx context.Context) (t broughtTable, there bool, err error) {
	if r.asked.Execution == "" {
		return t, false, nil
	}
	all, who := r.box.all, r.box.who
	kept, err := all.datasets.Dataset(ctx, who.Tenant, r.newDataset())
	switch {
	case err != nil && cellwall.CodeOf(err) == cellwall.CodeNotFound:
		return t, false, nil
	case err != nil:
		return t, false, err
	case slices.Contains(r.box.plan.Datasets, kept.ID):
		r.box.row.Tables = nil
		return broughtTable{Dataset: kept.Dataset}, true, nil
	}
	return t, false, all.datasets.Delete(ctx, who.Tenant, kept.ID)
}

// newDataset is the id of what a call brings: the same at each try of one with an
// idempotency key.
func (r *sessionRuns) newDataset() string {
	return cellwall.IDFor(cellwall.PrefixDataset, r.asked.Execution)
}

// freeName is a name that no dataset of the session has.
func (r *sessionRuns) freeName(ctx context.Context, name string) (string, error) {
	names := dataset.Names{}
	for _, id := range r.box.plan.Datasets {
		kept, err := r.box.all.datasets.Dataset(ctx, r.box.who.Tenant, id)
		if err != nil {
			return "", err
		}
		names.Take(kept.Name)
	}
	return names.Take(dataset.SafeName(name)), nil
}

// take has a sandbox describe the new dataset, alone, and puts it beside the live
// interpreter, whose tables were read before.
func (r *sessionRuns) take(ctx context.Context, made cellwall.KeptDataset) (t broughtTable, err error) {
	f, kept, err := r.box.all.datasets.Open(ctx, r.box.who.Tenant, made.ID)
	if err != nil {
		return t, err
	}
	defer f.Close()
	req := r.request()
	req.ID, req.Datasets = "", []cellwall.Input{inputOf(f, kept)}
	result, err := r.box.all.work.Describe(ctx, req)
	if err == nil {
		r.box.toolbox.meter.Note(result, 0)
	}
	if t, err = describedTable(result, err); err != nil {
		return t, err
	}
	t.ID = made.ID
	if err := r.box.all.datasets.Describe(ctx, r.box.who.Tenant, t.Dataset); err != nil || r.live == nil {
		return t, err
	}
	t.cell = kept.Name
	if err := r.live.Put(ctx, kept.Name, io.NewSectionReader(f, 0, kept.Bytes), kept.Bytes); err != nil {
		return t, fmt.Errorf("put what was fetched into the session: %w", err)
	}
	return t, nil
}

package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/dataset"
	"github.com/cellwall/cellwall/fetch"
)

// webHere fetches for a conversation at the command line. What it brings is open until
// the conversation ends.
type webHere struct {
	box     *toolbox
	records recorder
	hosts   fetch.Hosts
	fetcher *fetch.Fetcher
	noSQL   bool // also where there are data
	files   []*fetch.Fetched
}

// allowHosts gives a toolbox of the command line the tool that fetches, from the hosts
// that are named; undo ends it.
func allowHosts(b *toolbox, h *house, hosts []string, noSQL bool) (undo func() error, err error) {
	if len(hosts) == 0 {
		return func() error { return nil }, nil
	}
	list, err := fetch.ParseHosts(hosts)
	if err != nil {
		return nil, usage("read --fetch-host", err, "host, host:port or *.domain; https unless http:// stands before it")
	}
	web := &webHere{box: b, records: h.records, hosts: list, fetcher: fetch.New(fetch.Options{CacheBytes: -1}), noSQL: noSQL}
	b.web, b.state.Hosts = web, strings.Join(hosts, ", ")
	return web.close, nil
}

func (w *webHere) close() error {
	errs := []error{w.fetcher.Close()}
	for _, f := range w.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// fetch brings a file, and has a sandbox describe it before anything else works on it.
func (w *webHere) fetch(ctx context.Context, url string) (t broughtTable, err error) {
	runs, ok := w.box.runs.(houseRuns)
	if !ok || len(runs.request.Datasets) >= cellwall.MaxInputs {
		return t, &cellwall.Error{Code: cellwall.CodeTooLarge, Op: "fetch address", Err: errors.New("there are as many files as may be")}
	}
	got, entry, err := w.fetcher.Fetch(ctx, fetch.Ask{Who: cellwall.Identity{Tenant: cellwall.LocalTenant}, URL: url, Hosts: w.hosts})
	if recorded := w.records.Append(entry.At, entry); err != nil || recorded != nil {
		if got != nil {
			recorded = errors.Join(recorded, got.Close())
		}
		return t, errors.Join(err, recorded)
	}
	w.files = append(w.files, got)
	names := dataset.Names{}
	for _, in := range runs.request.Datasets {
		names.Take(in.Name)
	}
	input := cellwall.Input{Name: names.Take(dataset.SafeName(got.Name)), FD: int(got.File().Fd()), Size: got.Bytes}
	alone := runs
	alone.request.Datasets = []cellwall.Input{input}
	if t, err = describedTable(alone.describe(ctx)); err != nil {
		return t, err
	}
	runs.request.Datasets = append(slices.Clone(runs.request.Datasets), input)
	w.box.runs, w.box.state.NoSQL = runs, w.noSQL
	return t, nil
}

// describedTable is what a sandbox said of one file.
func describedTable(r *cellwall.Result, err error) (broughtTable, error) {
	if err != nil {
		return broughtTable{}, err
	}
	if !r.OK || len(r.Datasets) != 1 {
		return broughtTable{}, notDescribed("the file", r)
	}
	return broughtTable{Dataset: r.Datasets[0], read: r}, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/connect"
	"github.com/cellwall/cellwall/fetch"
)

// fetchSettings bound what is fetched from the web. Zero fields are package fetch's.
type fetchSettings struct {
	Private    []string // networks beside the internet that may be reached: 10.1.0.0/16
	Timeout    time.Duration
	AtOnce     int   // of one tenant
	CacheBytes int64 // of all tenants; -1 = nothing is kept
}

func (f fetchSettings) options(dir string) (fetch.Options, error) {
	o := fetch.Options{Dir: dir, Time: f.Timeout, AtOnce: f.AtOnce, CacheBytes: f.CacheBytes}
	for _, text := range f.Private {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return o, fmt.Errorf("fetch.private: %q is no network", text)
		}
		o.Private = append(o.Private, p.Masked())
	}
	return o, nil
}

// sources bring data from outside of the wall, and record it.
type sources struct {
	terms   func(tenant string) cellwall.Terms
	ledger  *ledger
	fetcher *fetch.Fetcher
	book    atomic.Pointer[connect.Book] // another one when the settings are read again
}

var _ api.Sources = (*sources)(nil)

// openSources makes what brings data ready; it reaches nothing.
func (s *service) openSources(context.Context) error {
	o, err := s.settings.Fetch.options(s.config.inState("spool"))
	if err != nil {
		return err
	}
	s.sources = &sources{terms: s.terms, ledger: s.kept.ledger, fetcher: fetch.New(o)}
	s.undo.Add(s.sources.fetcher.Close)
	return s.reloadSources(s.settings)
}

// reloadSources takes the connections of the settings as they are now.
func (s *service) reloadSources(set *serveSettings) error {
	book, err := connect.Open(s.config.inState("spool"), set.Connection)
	if err == nil {
		s.sources.book.Store(book)
	}
	return err
}

// addSources gives them to the API.
func (s *service) addSources(o *api.Options) { o.Sources = s.sources }

// Fetch brings a file of the web.
func (s *sources) Fetch(ctx context.Context, who cellwall.Identity, url string, maxBytes int64) (*api.Brought, error) {
	got, entry, err := s.fetch(ctx, who, url, maxBytes)
	if err != nil {
		return nil, err
	}
	return &api.Brought{Name: got.Name, Content: got.Reader(), End: func(made cellwall.KeptDataset, failed error) error {
		entry.Dataset = made.ID
		if failed != nil {
			entry.Dataset, entry.Code, entry.Failure = "", cellwall.CodeOf(failed), failed.Error()
		}
		return errors.Join(got.Close(), s.ledger.note(ctx, who.Tenant, entry.ID, entry.At, s.maskedFetch(entry)))
	}}, nil
}

// fetch brings a file, and records it when it does not come. Who is given it records
// what became of it.
func (s *sources) fetch(ctx context.Context, who cellwall.Identity, url string, maxBytes int64) (*fetch.Fetched, fetch.Entry, error) {
	hosts, err := fetch.ParseHosts(s.terms(who.Tenant).FetchHosts)
	if err != nil {
		return nil, fetch.Entry{}, fmt.Errorf("read fetch_hosts of %s: %w", who.Tenant, err)
	}
	got, entry, err := s.fetcher.Fetch(ctx, fetch.Ask{Who: who, URL: url, Hosts: hosts, MaxBytes: maxBytes})
	entry.Call = api.CallID(ctx)
	if err != nil {
		err = errors.Join(err, s.ledger.note(ctx, who.Tenant, entry.ID, entry.At, s.maskedFetch(entry)))
	}
	return got, entry, err
}

// maskedFetch is an entry without the personal data that its address may hold.
func (s *sources) maskedFetch(e fetch.Entry) fetch.Entry {
	mask := s.ledger.masks(e.Identity.Tenant)
	if mask == nil {
		return e
	}
	e.URL = mask(e.URL)
	hops := make([]string, len(e.Hops))
	for i, hop := range e.Hops {
		hops[i] = mask(hop)
	}
	e.Hops = hops
	return e
}

// Snapshot reads what a connection leads to.
func (s *sources) Snapshot(ctx context.Context, who cellwall.Identity, ask api.SnapshotAsk, maxBytes int64) (*api.Brought, error) {
	got, entry, err := s.book.Load().Snapshot(ctx, connect.Ask{
		Who: who, Allowed: s.terms(who.Tenant).Connections, Connection: ask.Connection,
		Table: ask.Table, Query: ask.Query, Key: ask.Key, Prefix: ask.Prefix, MaxBytes: maxBytes,
	})
	entry.Call = api.CallID(ctx)
	if mask := s.ledger.masks(who.Tenant); mask != nil {
		entry.Query = mask(entry.Query)
	}
	if err != nil {
		return nil, errors.Join(err, s.ledger.note(ctx, who.Tenant, entry.ID, entry.At, entry))
	}
	return &api.Brought{
		Name: got.Name, Content: got.Reader(), Program: got.Program, File: got.File, Leaves: got.Leaves,
		End: func(made cellwall.KeptDataset, failed error) error {
			entry.Dataset, entry.SHA256 = made.ID, made.SHA256
			if failed != nil {
				entry.Dataset, entry.SHA256, entry.Code, entry.Failure = "", "", cellwall.CodeOf(failed), failed.Error()
			}
			return errors.Join(got.Close(), s.ledger.note(ctx, who.Tenant, entry.ID, entry.At, entry))
		},
	}, nil
}

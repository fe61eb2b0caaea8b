package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Change is one locked package that Update moved. Old or New is "" for one that
// came or went.
type Change struct {
	Kind string `json:"kind"` // "deb" or "python"
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Update resolves the newest versions and writes both locks below into, as
// NAME/debs.lock and NAME/requirements.lock; "" is the store's own directory of
// declarations, whose locks win over the built-in ones. A child keeps its
// parent's versions of Python packages, so update parents first. It builds
// nothing.
func (s *Store) Update(ctx context.Context, name, into string, opts Options) (_ []Change, err error) {
	d, err := s.Catalog.declaration(name)
	if err != nil {
		return nil, err
	}
	if into == "" {
		into = filepath.Join(s.Dir, "declarations")
	}
	unlock, err := lockFile(ctx, filepath.Join(s.Dir, "locks", name), func() {
		opts.Progress.report(StepWait, "a build of "+name+" is running: waiting for it", 0, 0)
	})
	if err != nil {
		return nil, s.explain(name, err)
	}
	defer unlock()
	if err := s.sweep(name); err != nil {
		return nil, s.explain(name, err)
	}
	work, err := os.MkdirTemp(filepath.Join(s.Dir, "build"), name+".")
	if err != nil {
		return nil, s.explain(name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	u := &build{
		decl: d, opts: opts, cache: cache{s.Cache}, work: work,
		root: filepath.Join(work, "root"), scratch: filepath.Join(work, "scratch"),
	}
	debs, reqs, err := s.relock(ctx, u)
	if err != nil {
		return nil, s.explain(name, err)
	}
	old, _ := s.Catalog.Load(name) // there may be no locks yet
	dir := filepath.Join(into, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, s.explain(name, err)
	}
	err = errors.Join(
		writeFile(filepath.Join(dir, debLockFile), FormatDebLock(debs)),
		writeFile(filepath.Join(dir, pythonLockFile), FormatPythonLock(reqs)))
	return changes(old, debs, reqs), s.explain(name, err)
}

func (s *Store) relock(ctx context.Context, u *build) ([]Deb, []Requirement, error) {
	if err := errors.Join(os.Mkdir(u.root, modeDir), os.Mkdir(u.scratch, modeDir)); err != nil {
		return nil, nil, fmt.Errorf("make work directory: %w", err)
	}
	a, err := newApt(ctx, u.decl, u.opts, filepath.Join(u.scratch, "apt"))
	if err != nil {
		return nil, nil, err
	}
	u.opts.Progress.report(StepDebs, "the index of "+a.suite, 0, 0)
	if err := a.update(ctx); err != nil {
		return nil, nil, err
	}
	names := append([]string{pipDeb}, u.decl.Debs...)
	slices.Sort(names)
	debs, err := a.current(ctx, slices.Compact(names))
	if err != nil {
		return nil, nil, err
	}
	u.decl.DebLock = debs
	root, err := os.OpenRoot(u.root)
	if err != nil {
		return nil, nil, fmt.Errorf("open work directory: %w", err)
	}
	defer root.Close()
	skip, err := parseGlobs(u.decl.Prune)
	if err != nil {
		return nil, nil, err
	}
	to := newPlacer(root, skip)
	if err := u.fetchDebs(ctx, to); err != nil {
		return nil, nil, err
	}
	if err := u.unpackDebs(ctx, to); err != nil {
		return nil, nil, err
	}
	dir, err := u.unpackPip(ctx)
	if err != nil {
		return nil, nil, err
	}
	var fixed []Requirement
	if u.decl.Parent != "" {
		parent, err := s.Catalog.Load(u.decl.Parent)
		if err != nil {
			return nil, nil, err
		}
		fixed = parent.PythonLock
	}
	p := pip{
		python: rootPython{root: u.root, python: u.decl.Python}, dir: dir,
		cache: filepath.Join(u.cache.dir, "pip"), index: u.opts.Index,
	}
	u.opts.Progress.report(StepWheels, "resolve", 0, 0)
	reqs, err := p.resolve(ctx, u.decl.Packages, u.decl.Drop, fixed)
	return debs, reqs, err
}

// changes compares the old locks with new ones.
func changes(old Declaration, debs []Deb, reqs []Requirement) []Change {
	type key struct{ kind, name string }
	was, is := map[key]string{}, map[key]string{}
	for _, d := range old.DebLock {
		was[key{"deb", d.Name}] = d.Version
	}
	for _, r := range old.PythonLock {
		was[key{"python", r.Name}] = r.Version
	}
	for _, d := range debs {
		is[key{"deb", d.Name}] = d.Version
	}
	for _, r := range reqs {
		is[key{"python", r.Name}] = r.Version
	}
	list := []Change{}
	for k, v := range was {
		if is[k] != v {
			list = append(list, Change{Kind: k.kind, Name: k.name, Old: v, New: is[k]})
		}
	}
	for k, v := range is {
		if _, ok := was[k]; !ok {
			list = append(list, Change{Kind: k.kind, Name: k.name, New: v})
		}
	}
	slices.SortFunc(list, func(a, b Change) int {
		return strings.Compare(a.Kind+" "+a.Name, b.Kind+" "+b.Name)
	})
	return list
}

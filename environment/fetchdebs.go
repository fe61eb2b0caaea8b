package environment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cellwall/cellwall"
)

// fetchDebs fills the cache with the locked Debian packages. What the mirror
// no longer has is replaced by the suite's current version.
func (b *build) fetchDebs(ctx context.Context, _ *placer) error {
	unlock, err := b.lockCache(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	b.debs = append([]Deb{}, b.decl.DebLock...)
	var missing []int
	var done, total int64
	for i, d := range b.debs {
		ok, err := b.cache.has(d.SHA256)
		if err != nil {
			return err
		}
		if !ok {
			missing, total = append(missing, i), total+d.Size
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if b.opts.Offline {
		return offline("Debian packages", debNames(b.debs, missing))
	}
	a, err := newApt(ctx, b.decl, b.opts, filepath.Join(b.scratch, "apt"))
	if err != nil {
		return err
	}
	for _, i := range missing {
		d := b.debs[i]
		b.opts.Progress.report(StepDebs, d.Name+" "+d.Version, done, total)
		err := b.fetchDeb(ctx, a, d)
		if errors.Is(err, errGone) {
			b.debs[i], err = b.replaceDeb(ctx, a, d)
		}
		if err != nil {
			return fmt.Errorf("fetch %s: %w", d.Name, err)
		}
		done += d.Size
	}
	b.opts.Progress.report(StepDebs, "", total, total)
	return nil
}

func (b *build) fetchDeb(ctx context.Context, a *apt, d Deb) error {
	partial := b.cache.partial(d.SHA256)
	if err := a.fetch(ctx, d, partial); err != nil {
		return b.networkHint(ctx, err)
	}
	return b.cache.adopt(partial, d.SHA256)
}

// replaceDeb finds the suite's current version of a package that is gone and
// fetches that.
func (b *build) replaceDeb(ctx context.Context, a *apt, gone Deb) (Deb, error) {
	if !a.updated {
		b.opts.Progress.notice("the mirror no longer has every locked package: reading the index of " + a.suite)
		if err := a.update(ctx); err != nil {
			return gone, err
		}
	}
	found, err := a.current(ctx, []string{gone.Name})
	if err != nil {
		return gone, err
	}
	now := found[0]
	change := fmt.Sprintf("%s %s instead of the locked %s", now.Name, now.Version, gone.Version)
	b.drift = append(b.drift, change)
	b.opts.Progress.notice(change + ": the digest will differ from that of the locks")
	if ok, err := b.cache.has(now.SHA256); ok || err != nil {
		return now, err
	}
	return now, b.fetchDeb(ctx, a, now)
}

func (b *build) networkHint(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, errGone) || cellwall.HintOf(err) != "" {
		return err
	}
	return &cellwall.Error{
		Code: cellwall.CodeInternal, Op: "download", Err: err,
		Hint: "check the network and the proxy, or name another mirror with --mirror; what was fetched is kept",
	}
}

func debNames(debs []Deb, at []int) []string {
	var names []string
	for _, i := range at {
		names = append(names, debs[i].Name)
	}
	return names
}

func (b *build) lockCache(ctx context.Context) (func(), error) {
	return b.cache.prepare(ctx, func() {
		b.opts.Progress.report(StepWait, "another build is downloading: waiting for it", 0, 0)
	})
}

var errOffline = errors.New("it is not in the cache, and the build is offline")

func offline(what string, missing []string) error {
	return &cellwall.Error{
		Code: cellwall.CodeInternal, Op: "fetch " + what + " " + strings.Join(missing, ", "), Err: errOffline,
		Hint: "build once without --offline to fill the cache",
	}
}

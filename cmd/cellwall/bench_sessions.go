package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/session"
)

// repose is how long a session is left alone before a cell that counts as the
// first after idling: what goes on behind an answer is over by then.
const repose = 50 * time.Millisecond

// held is how much a session with much data holds.
const held = "big = pd.DataFrame(np.ones((3_112_960, 8)))" // 190 MiB

// liveSession is a session under measurement.
type liveSession struct {
	*session.Session
}

// openLive opens a session with room for 190 MB twice, and runs cells in it.
func (b *bench) openLive(ctx context.Context, l cellwall.Limits, cells ...string) (*liveSession, error) {
	l.MemoryBytes, l.Timeout = cellwall.GiB, time.Minute
	s, began, err := b.cold.sessions.Create(ctx, cellwall.Request{
		Identity: cellwall.Identity{Tenant: "bench"}, Environment: b.env.Name, Backend: b.verb.Backend,
		Limits: l,
	}, nil)
	if err == nil && s == nil {
		err = fmt.Errorf("it ended %s before it began", began.Status)
	}
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	live := &liveSession{s}
	for _, code := range cells {
		if _, err := live.well(ctx, code); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return live, nil
}

// cell runs a cell, whatever becomes of it, and returns how long its caller waited.
func (s *liveSession) cell(ctx context.Context, code string) (*cellwall.Result, time.Duration, error) {
	began := time.Now()
	result, err := s.Cell(ctx, session.Cell{Code: code}, nil)
	return result, time.Since(began), err
}

// well is cell for one that has to end well.
func (s *liveSession) well(ctx context.Context, code string) (time.Duration, error) {
	result, took, err := s.cell(ctx, code)
	if err == nil && !result.OK {
		err = fmt.Errorf("the cell ended %s (%s): %s", result.Status, result.Cause, result.Stderr.Text)
	}
	return took, err
}

// smallCells measures a small cell: in a session that idles, in one that holds
// 190 MB, right behind another, and in a live Jupyter kernel where there is one.
// The limit is a bare fork that does the same work.
func (b *bench) smallCells(ctx context.Context) (err error) {
	if err := b.filled(ctx); err != nil {
		return err
	}
	ways := []*way{}
	add := func(name string, prepare func() error, run func() (time.Duration, error)) {
		ways = append(ways, &way{name: name, prepare: prepare, run: run})
	}
	rest := func() error { time.Sleep(repose); return ctx.Err() }
	small, err := b.openLive(ctx, cellwall.Limits{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, small.Close()) }()
	large, err := b.openLive(ctx, cellwall.Limits{}, held)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, large.Close()) }()
	add("cell", rest, func() (time.Duration, error) { return small.well(ctx, programGroupby) })
	add("cell_190", rest, func() (time.Duration, error) { return large.well(ctx, programGroupby) })
	// The one before is the first behind an idling one: what is behind its answer
	// takes longer than in a row of cells.
	add("cell_at_once", func() error { _, err := large.well(ctx, programGroupby); return err },
		func() (time.Duration, error) { return large.well(ctx, programGroupby) })
	if b.verb.Jupyter != "" {
		k, err := startKernel(ctx, b.verb.Jupyter)
		if err != nil {
			return err
		}
		defer k.close()
		if _, err := k.cell(preamble + programGroupby); err != nil {
			return err
		}
		add("cell_jupyter", rest, func() (time.Duration, error) { return k.cell(programGroupby) })
	}
	return b.interleave(ways)
}

// way is one way to run the small cell.
type way struct {
	name    string
	prepare func() error // nil = nothing
	run     func() (time.Duration, error)
	took    []time.Duration
}

// interleave takes turns between the limit and the ways.
func (b *bench) interleave(ways []*way) error {
	var limit []time.Duration
	for range rounds * perRound {
		each, _, err := b.limit.Measure(programGroupby, 1, 1)
		if err != nil {
			return err
		}
		limit = append(limit, each...)
		for _, w := range ways {
			if w.prepare != nil {
				if err := w.prepare(); err != nil {
					return err
				}
			}
			took, err := w.run()
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			w.took = append(w.took, took)
		}
	}
	for _, w := range ways {
		b.figures.latency(w.name, limit, w.took)
	}
	return nil
}

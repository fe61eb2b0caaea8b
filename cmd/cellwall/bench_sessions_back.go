package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// goingBack measures what a session with 190 MB takes to be itself again: after
// a cell was killed, after a rollback of variables and files, on another branch,
// after it was frozen. Each time ends with the answer to a cell that is sent at
// once; what the same cell takes in a session that idles is taken off.
func (b *bench) goingBack(ctx context.Context) (err error) {
	s, err := b.openLive(ctx, cellwall.Limits{}, held, "import os\nx = 0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	left, err := s.tip(ctx)
	if err != nil {
		return err
	}
	if _, err := s.well(ctx, "x = -1\nopen('f', 'w').write('left')"); err != nil {
		return err
	}
	right, err := s.tip(ctx)
	if err != nil {
		return err
	}
	branches := []string{left, right}
	var idle, killed, rolled, switched []time.Duration
	for i := range rounds {
		for _, m := range []struct {
			into    *[]time.Duration
			prepare string
			do      func() error
		}{
			{&idle, "", func() error { return nil }},
			{&killed, "", func() error { return s.dies(ctx, "os.kill(os.getpid(), 9)") }},
			{&rolled, "x += 1\nopen('f', 'w').write(str(x))", func() error { return s.goTo(ctx, "") }},
		} {
			took, err := s.timedReturn(ctx, m.prepare, m.do)
			if err != nil {
				return err
			}
			*m.into = append(*m.into, took)
		}
		if branches[(i+1)%2], err = s.tip(ctx); err != nil { // it has grown since
			return err
		}
		took, err := s.timedReturn(ctx, "", func() error { return s.goTo(ctx, branches[i%2]) })
		if err != nil {
			return err
		}
		switched = append(switched, took)
	}
	beyond := func(key string, took []time.Duration) {
		b.figures.rows = append(b.figures.rows, row{key, idle, took})
		b.figures.set("session_"+key+"_ms", ms(median(took)-median(idle)))
	}
	beyond("recovery", killed)
	beyond("rollback", rolled)
	beyond("branch", switched)
	return nil
}

// timedReturn times do and a cell behind it, on a session that idles.
func (s *liveSession) timedReturn(ctx context.Context, prepare string, do func() error) (time.Duration, error) {
	if prepare != "" {
		if _, err := s.well(ctx, prepare); err != nil {
			return 0, err
		}
	}
	time.Sleep(repose)
	began := time.Now()
	if err := do(); err != nil {
		return 0, err
	}
	_, err := s.well(ctx, "pass")
	return time.Since(began), err
}

// dies runs a cell that must be undone.
func (s *liveSession) dies(ctx context.Context, code string) error {
	result, _, err := s.cell(ctx, code)
	if err == nil && (result.Restored == nil || result.Restored.Checkpoint == "") {
		err = fmt.Errorf("a killed cell ended %s, restored %+v", result.Status, result.Restored)
	}
	return err
}

// goTo rolls back, files included.
func (s *liveSession) goTo(ctx context.Context, id string) error {
	back, err := s.Rollback(ctx, cellwall.Return{To: id})
	if err == nil && !back.Files {
		err = errors.New("the files did not go back")
	}
	return err
}

// tip is the id of the checkpoint that the live state grows from.
func (s *liveSession) tip(ctx context.Context) (string, error) {
	list, err := s.Checkpoints(ctx)
	if err != nil {
		return "", err
	}
	for _, c := range list {
		if c.Live {
			return c.ID, nil
		}
	}
	return "", errors.New("no checkpoint is live")
}

// frozen measures how soon a session that was frozen answers a cell, beyond what
// that cell takes.
func (b *bench) frozen(ctx context.Context) (err error) {
	s, err := b.openLive(ctx, cellwall.Limits{}, held)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var idle, resumed []time.Duration
	for range rounds {
		took, err := s.timedReturn(ctx, "", func() error { return nil })
		if err != nil {
			return err
		}
		idle = append(idle, took)
		if err := s.Pause(ctx); err != nil {
			b.figures.unmeasured("session_resume_ms", err)
			return nil
		}
		if took, err = s.timedReturn(ctx, "", func() error { return s.Resume(ctx) }); err != nil {
			return err
		}
		resumed = append(resumed, took)
	}
	b.figures.rows = append(b.figures.rows, row{"resume", idle, resumed})
	b.figures.set("session_resume_ms", ms(median(resumed)-median(idle)))
	return nil
}

// changes is how many cells a loop that changes 190 MB in place has.
const changes = 60

// inPlace measures cells that change 190 MB in place, each of which may have to
// copy them for the checkpoint before it, against the same changes in one cell.
func (b *bench) inPlace(ctx context.Context) (err error) {
	const change = "values += 1.0\n"
	s, err := b.openLive(ctx, cellwall.Limits{}, "import time\nvalues = np.ones(190 << 17)", change)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	plain := fmt.Sprintf("began = time.perf_counter()\nfor _ in range(%d): values += 1.0\nprint((time.perf_counter() - began) * 1e3)", changes/4)
	var inProcess, inCells float64
	var worst time.Duration
	for range 4 { // interleaved
		result, _, err := s.cell(ctx, plain)
		if err != nil {
			return err
		}
		took, err := strconv.ParseFloat(strings.TrimSpace(result.Stdout.Text), 64)
		if err != nil {
			return fmt.Errorf("time of changes: %w", err)
		}
		inProcess += took
		for range changes / 4 {
			took, err := s.well(ctx, change)
			if err != nil {
				return err
			}
			inCells += ms(took)
			worst = max(worst, took)
		}
	}
	b.figures.set("change_190_ms", ms(worst))
	b.figures.set("change_190_in_process_ms", inProcess/changes)
	b.figures.set("change_190_loop_ratio", inCells/inProcess)
	return nil
}

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
// a cell was killed, beyond what an ordinary cell takes; after a rollback of
// variables and files; on another branch. Each ends with the answer, the state being
// live again. A cell that is sent at once may wait for what goes on behind it: how
// much longer it takes is told as well.
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
	var idle, killed, rolled, switched returns
	for i := range rounds {
		for _, m := range []struct {
			into    *returns
			prepare string
			do      func() error
		}{
			{&idle, "", func() error { return nil }},
			{&killed, "", func() error { return s.dies(ctx, "os.kill(os.getpid(), 9)") }},
			{&rolled, "x += 1\nopen('f', 'w').write(str(x))", func() error { return s.goTo(ctx, "") }},
		} {
			if err := s.timedReturn(ctx, m.into, m.prepare, m.do); err != nil {
				return err
			}
		}
		if branches[(i+1)%2], err = s.tip(ctx); err != nil { // it has grown since
			return err
		}
		if err := s.timedReturn(ctx, &switched, "", func() error { return s.goTo(ctx, branches[i%2]) }); err != nil {
			return err
		}
	}
	plain := median(idle.cell)
	b.figures.set("session_recovery_ms", ms(median(killed.do)-plain))
	b.figures.set("session_rollback_ms", ms(median(rolled.do)))
	b.figures.set("session_branch_ms", ms(median(switched.do)))
	for _, m := range []struct {
		key string
		way returns
	}{{"recovery", killed}, {"rollback", rolled}, {"branch", switched}} {
		b.figures.rows = append(b.figures.rows, row{m.key, idle.cell, m.way.do})
		b.figures.set("session_"+m.key+"_cell_ms", ms(median(m.way.cell)-plain))
	}
	return nil
}

// returns are the times of something, and of a cell that was sent behind it at once.
type returns struct{ do, cell []time.Duration }

// timedReturn times do, and a cell behind it, on a session that idles.
func (s *liveSession) timedReturn(ctx context.Context, into *returns, prepare string, do func() error) error {
	if prepare != "" {
		if _, err := s.well(ctx, prepare); err != nil {
			return err
		}
	}
	time.Sleep(repose)
	began := time.Now()
	if err := do(); err != nil {
		return err
	}
	into.do = append(into.do, time.Since(began))
	took, err := s.well(ctx, "pass")
	into.cell = append(into.cell, took)
	return err
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
	var idle, resumed returns
	for range rounds {
		if err := s.timedReturn(ctx, &idle, "", func() error { return nil }); err != nil {
			return err
		}
		if err := s.Pause(ctx); err != nil {
			b.figures.unmeasured("session_resume_ms", err)
			return nil
		}
		if err := s.timedReturn(ctx, &resumed, "", func() error { return s.Resume(ctx) }); err != nil {
			return err
		}
	}
	b.figures.rows = append(b.figures.rows, row{"resume", idle.cell, resumed.cell})
	b.figures.set("session_resume_ms", ms(median(resumed.do)+median(resumed.cell)-median(idle.cell)))
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

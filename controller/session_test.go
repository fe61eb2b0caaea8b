package controller

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cellwall/cellwall"
)

// live is a script whose cells run in one interpreter.
type live struct {
	*script
	begin     cellwall.End
	cells     []cellwall.Code
	went      []cellwall.Return
	back      cellwall.Restored
	backErr   error
	workspace error
}

func (l *live) Begin(_ context.Context, code cellwall.Code, sink cellwall.Sink) (cellwall.End, error) {
	l.code = code
	for _, e := range l.events {
		if err := sink(context.Background(), e); err != nil {
			return cellwall.End{}, err
		}
	}
	l.events = nil
	return l.begin, l.runErr
}

func (l *live) Cell(ctx context.Context, code cellwall.Code, sink cellwall.Sink) (cellwall.End, error) {
	l.cells = append(l.cells, code)
	return l.script.Run(ctx, code, sink)
}
func (l *live) Interrupt(string) error { return nil }
func (l *live) Ask(context.Context, cellwall.Question) (cellwall.Answer, error) {
	return cellwall.Answer{}, nil
}
func (l *live) Workspace() (fs.FS, error) { return fstest.MapFS{}, l.workspace }
func (l *live) Checkpoints(context.Context) ([]cellwall.Checkpoint, error) {
	return nil, nil
}

func (l *live) Rollback(_ context.Context, to cellwall.Return) (cellwall.Restored, error) {
	l.went = append(l.went, to)
	return l.back, l.backErr
}

// follower counts what a session's harvester is asked for.
type follower struct{ harvested, settled int }

func (f *follower) Harvest(context.Context, fs.FS, cellwall.Limits) ([]cellwall.Artifact, []cellwall.SkippedArtifact, error) {
	f.harvested++
	return []cellwall.Artifact{{Name: "a.png", SHA256: "ab"}}, nil, nil
}
func (f *follower) Settle(context.Context, fs.FS) error { f.settled++; return nil }

// sessions is a house whose sandboxes keep interpreters.
type sessions struct {
	*house
	live     *live
	follower follower
}

func newSessions() *sessions {
	l := &live{script: ok(), begin: cellwall.End{Status: cellwall.StatusOK}, back: cellwall.Restored{Checkpoint: "cp_a", Files: true}}
	return &sessions{house: &house{}, live: l}
}

func (s *sessions) Claim(_ context.Context, spec cellwall.Spec) (cellwall.Sandbox, error) {
	s.spec = spec
	return s.live, s.claimErr
}

func (s *sessions) controller(t testing.TB) *Controller {
	t.Helper()
	c, err := New(Options{
		Pools: map[string]Sandboxes{"native": s}, Backend: "native", Environments: s, Environment: "basic",
		MergeDatasets: s.Merge, Harvester: s, Observe: s.Observe, Recorder: s, Follow: func() Follower { return &s.follower },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *sessions) open(t testing.TB, req cellwall.Request) *Opened {
	t.Helper()
	o, r, err := s.controller(t).Open(t.Context(), req, Session{ID: cellwall.NewID(cellwall.PrefixSession)})
	if err != nil || o == nil {
		t.Fatalf("open: %+v, %v", r, err)
	}
	return o
}

func TestM40_ASessionGoesTheSameWayAsARun(t *testing.T) {
	s := newSessions()
	s.live.events = []cellwall.Event{{Kind: cellwall.EventDatasets, Data: asJSON(t, []cellwall.Dataset{{Name: "a.csv", Rows: 3}})}}
	fd := openFile(t, "x\n1\n")
	o := s.open(t, cellwall.Request{Datasets: []cellwall.Input{{Name: "a.csv", FD: fd, Size: 4}}, Purpose: "look"})
	if !s.spec.Session || s.live.bound.Identity.Tenant != "local" || s.live.ran || s.destroyed != 0 || s.harvested != 0 {
		t.Errorf("spec %+v bound %+v ran %v", s.spec, s.live.bound, s.live.ran)
	}
	begun := s.entries[0]
	if begun.Session != o.id || begun.Cell != 0 || begun.Inputs[0].SHA256 == "" || begun.Status != cellwall.StatusOK {
		t.Errorf("entry of the beginning %+v", begun)
	}
	s.live.events = []cellwall.Event{
		out("42\n"),
		{Kind: cellwall.EventDatasets, Data: []byte(`[{"name":"forged"}]`)}, // only the beginning describes
	}
	r, err := o.Cell(t.Context(), cellwall.Request{Code: "print(x+1)", KeepFiles: true, Purpose: "look"}, 7, nil)
	if err != nil || !r.OK || *r.SessionID != o.id || r.Stdout.Text != "42\n" || len(r.Artifacts) != 1 || r.Datasets != nil || r.Restored != nil {
		t.Fatalf("result %+v, %v", r, err)
	}
	code := s.live.cells[0]
	if code.Count != 7 || code.File != "<cell 7>" || !code.KeepFiles || code.Execution != r.ID || code.Timeout != cellwall.DefaultLimits().Timeout {
		t.Errorf("code %+v", code)
	}
	e := s.entries[1]
	if e.Session != o.id || e.Cell != 7 || e.Code != "print(x+1)" || e.Inputs[0].SHA256 != begun.Inputs[0].SHA256 || e.Artifacts[0].Name != "a.png" {
		t.Errorf("entry of the cell %+v", e)
	}
	if got := s.evidence; len(got.Datasets) != 1 || got.Datasets[0].Rows != 3 || got.Request.Datasets[0].Name != "a.csv" || got.Request.Datasets[0].FD != -1 {
		t.Errorf("evidence %+v", got)
	}
	if s.destroyed != 0 {
		t.Error("the sandbox was given up by a cell")
	}
	o.Close()
	if s.destroyed != 1 {
		t.Errorf("destroyed %d times", s.destroyed)
	}
}

func TestM40_ABeginningThatIsNoSession(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name    string
		ctx     context.Context
		change  func(*sessions)
		kept    bool
		failure cellwall.ErrorCode
	}{
		{"a file that cannot be parsed", t.Context(), func(s *sessions) {
			s.live.begin = cellwall.End{Status: cellwall.StatusError, Cause: cellwall.CauseException}
		}, true, ""},
		{"killed while it began", t.Context(), func(s *sessions) {
			s.live.begin = cellwall.End{Status: cellwall.StatusMemoryLimit, Restored: &cellwall.Restored{}}
		}, false, ""},
		{"the caller is gone", gone, func(*sessions) {}, false, ""},
		{"no sandbox", t.Context(), func(s *sessions) { s.claimErr = errors.New("none") }, false, cellwall.CodeInternal},
		{"no record", t.Context(), func(s *sessions) { s.recordErr = errors.New("disk full") }, false, cellwall.CodeInternal},
	} {
		s := newSessions()
		test.change(s)
		o, r, err := s.controller(t).Open(test.ctx, cellwall.Request{}, Session{ID: cellwall.NewID(cellwall.PrefixSession)})
		if (o != nil) != test.kept || (err != nil) != (test.failure != "") || err == nil && r == nil {
			t.Errorf("%s: %v, %+v, %v", test.name, o, r, err)
		}
		if want := map[bool]int{true: 0, false: 1}[test.kept]; s.destroyed != want && s.claimErr == nil {
			t.Errorf("%s: the sandbox was given up %d times", test.name, s.destroyed)
		}
	}
}

func TestM40_WhereNoSessionsAreKept(t *testing.T) {
	id := Session{ID: cellwall.NewID(cellwall.PrefixSession)}
	for _, test := range []struct {
		name string
		open func() (*Opened, *cellwall.Result, error)
		want string
	}{
		{"a backend without", func() (*Opened, *cellwall.Result, error) {
			h := &house{next: ok()}
			c := h.controller(t)
			c.opts.Follow = func() Follower { return &follower{} }
			return c.Open(t.Context(), cellwall.Request{}, id)
		}, `backend "native" keeps none`},
		{"a house without", func() (*Opened, *cellwall.Result, error) {
			return (&house{next: ok()}).controller(t).Open(t.Context(), cellwall.Request{}, id)
		}, "no harvester"},
		{"an id that is none", func() (*Opened, *cellwall.Result, error) {
			return newSessions().controller(t).Open(t.Context(), cellwall.Request{}, Session{ID: "../x"})
		}, "no id"},
	} {
		o, _, err := test.open()
		if o != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v", test.name, o, err)
		}
	}
}

func TestM40_FilesFollowTheStateOfTheSession(t *testing.T) {
	restored := func(checkpoint string, files bool) *cellwall.Restored {
		return &cellwall.Restored{Checkpoint: checkpoint, Cells: 1, Files: files}
	}
	for _, test := range []struct {
		name                          string
		end                           cellwall.End
		gone                          bool
		harvested, settled, artifacts int
	}{
		{"a good cell", cellwall.End{Status: cellwall.StatusOK}, false, 1, 0, 1},
		{"an exception", cellwall.End{Status: cellwall.StatusError}, false, 1, 0, 1},
		{"killed, files went back", cellwall.End{Status: cellwall.StatusTimeout, Restored: restored("cp_a", true)}, false, 0, 1, 0},
		{"killed, files stay", cellwall.End{Status: cellwall.StatusTimeout, Restored: restored("cp_a", false)}, false, 1, 0, 1},
		{"the end of the session", cellwall.End{Status: cellwall.StatusCrashed, Restored: restored("", false)}, false, 1, 0, 1},
		{"cancelled", cellwall.End{Status: cellwall.StatusCancelled}, true, 0, 0, 0},
		{"cancelled and killed", cellwall.End{Status: cellwall.StatusCancelled, Restored: restored("cp_a", true)}, true, 0, 1, 0},
	} {
		s := newSessions()
		o := s.open(t, cellwall.Request{})
		s.live.end = test.end
		if test.end.Restored != nil && test.end.Restored.Checkpoint == "" {
			s.live.workspace = cellwall.ErrSessionOver // what is left is behind Harvest
		}
		ctx, cancel := context.WithCancel(t.Context())
		if test.gone {
			cancel()
		}
		r, err := o.Cell(ctx, cellwall.Request{Code: "x"}, 1, nil)
		cancel()
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if s.follower.harvested != test.harvested || s.follower.settled != test.settled || len(r.Artifacts) != test.artifacts || r.Restored != test.end.Restored {
			t.Errorf("%s: harvested %d, settled %d, %d artifacts, restored %v", test.name, s.follower.harvested, s.follower.settled, len(r.Artifacts), r.Restored)
		}
		if e := s.entries[len(s.entries)-1]; e.Restored != test.end.Restored {
			t.Errorf("%s: recorded %v", test.name, e.Restored)
		}
	}
}

func TestM40_RollbackTakesTheFilesForKnown(t *testing.T) {
	s := newSessions()
	o := s.open(t, cellwall.Request{})
	back, err := o.Rollback(t.Context(), cellwall.Return{To: "cp_a", Reseed: true})
	if err != nil || back.Checkpoint != "cp_a" || s.follower.settled != 1 || !slices.Equal(s.live.went, []cellwall.Return{{To: "cp_a", Reseed: true}}) {
		t.Errorf("%+v, %v, settled %d, went %v", back, err, s.follower.settled, s.live.went)
	}
	if e := s.entries[1]; e.Session != o.id || e.Restored == nil || e.Restored.Checkpoint != "cp_a" || e.Code != "" || e.Cell != 0 || e.Identity.Tenant != "local" {
		t.Errorf("entry %+v", e)
	}
	s.recordErr = errors.New("disk full")
	if back, err := o.Rollback(t.Context(), cellwall.Return{To: "cp_a"}); cellwall.CodeOf(err) != cellwall.CodeInternal || back.Checkpoint != "cp_a" {
		t.Errorf("without a record: %+v, %v", back, err)
	}
	s.follower.settled = 1
	s.live.backErr = &cellwall.Error{Code: cellwall.CodeNotFound, Hint: "kept are cp_a"}
	if _, err := o.Rollback(t.Context(), cellwall.Return{To: "cp_b"}); cellwall.CodeOf(err) != cellwall.CodeNotFound || cellwall.HintOf(err) != "kept are cp_a" || s.follower.settled != 1 {
		t.Errorf("an unknown one: %v, settled %d", err, s.follower.settled)
	}
}

func TestM3_AStopIsRecordedAndRunsNothing(t *testing.T) {
	s := newSessions()
	o := s.open(t, cellwall.Request{})
	stop := cellwall.Stop{Reason: cellwall.StopFailures, Limit: 3, Used: 3}
	r, err := o.Stop(t.Context(), cellwall.Request{Code: "x", Language: "zh"}, stop)
	if err != nil || r.Status != cellwall.StatusRefused || r.Cause != cellwall.CausePolicy || r.OK || len(s.live.cells) != 0 || r.Boundary.Backend != "native" {
		t.Fatalf("%+v, %v, %d cells", r, err, len(s.live.cells))
	}
	if *s.evidence.Stop != stop || s.evidence.Request.Language != "zh" {
		t.Errorf("evidence %+v", s.evidence)
	}
	if e := s.entries[1]; *e.Stop != stop || e.Session != o.id || e.Cell != 0 || e.Code != "x" {
		t.Errorf("entry %+v", e)
	}
}

// Bad input: a cell says what is wrong, and nothing of it runs.
func TestM40_BadCells(t *testing.T) {
	for name, req := range map[string]cellwall.Request{
		"no code":      {},
		"too long":     {Code: "1", Limits: cellwall.Limits{Timeout: cellwall.DefaultLimits().Timeout + 1}},
		"too short":    {Code: "1", Limits: cellwall.Limits{Timeout: 1}},
		"long purpose": {Code: "1", Purpose: strings.Repeat("x", maxPurpose+1)},
	} {
		s := newSessions()
		o := s.open(t, cellwall.Request{})
		if _, err := o.Cell(t.Context(), req, 1, nil); cellwall.CodeOf(err) != cellwall.CodeBadRequest || len(s.live.cells) != 0 || len(s.entries) != 1 {
			t.Errorf("%s: %v, ran %d, recorded %d", name, err, len(s.live.cells), len(s.entries))
		}
	}
	s := newSessions()
	o := s.open(t, cellwall.Request{})
	r, err := o.Cell(t.Context(), cellwall.Request{Code: "x\x00"}, 1, nil)
	if err != nil || r.Status != cellwall.StatusRefused || len(s.live.cells) != 0 || s.entries[1].Cell != 0 || r.Boundary.Backend != "native" {
		t.Errorf("refused by a check: %+v, %v", r, err)
	}
	s.live.runErr = &cellwall.Error{Code: cellwall.CodeConflict, Op: "run cell", Err: cellwall.ErrSessionOver, Hint: "it ended"}
	if _, err := o.Cell(t.Context(), cellwall.Request{Code: "x"}, 1, nil); !errors.Is(err, cellwall.ErrSessionOver) ||
		cellwall.CodeOf(err) != cellwall.CodeConflict || cellwall.HintOf(err) != "it ended" {
		t.Errorf("after the end: %v", err)
	}
}

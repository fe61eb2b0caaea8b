package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/session"
)

// openRealHouse wires the rooms over the real wall, with a state directory of
// its own.
func openRealHouse(t *testing.T, budget cellwall.Budget) (_ *house, state string) {
	t.Helper()
	state = t.TempDir()
	linkEnvironments(t, state)
	h, err := newProgram().openHouse(&config{StateDir: state}, houseOptions{
		backend: defaultBackend, environment: defaultEnvironment, budget: budget,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h, state
}

// cellStep is one cell, how it ends, what it prints and which files it delivers.
type cellStep struct {
	code      string
	status    cellwall.Status
	out       string
	artifacts []string
	warns     string // a part of a warning
}

func (step cellStep) check(t *testing.T, s *session.Session) {
	t.Helper()
	r, err := s.Cell(t.Context(), session.Cell{Code: step.code}, nil)
	if err != nil {
		t.Fatalf("%s: %v", step.code, err)
	}
	var names []string
	for _, a := range r.Artifacts {
		names = append(names, a.Name)
	}
	if r.Status != step.status || r.Stdout.Text != step.out || !slices.Equal(names, step.artifacts) || r.SessionID == nil || *r.SessionID != s.ID() ||
		!strings.Contains(strings.Join(r.Warnings, "\n"), step.warns) {
		t.Errorf("%s: %s (%s), out %q, %v, artifacts %v, refused %v, warnings %q, want %+v", step.code, r.Status, r.Cause, r.Stdout.Text, r.Error, names, r.SkippedArtifacts, r.Warnings, step)
	}
}

// All rooms together over the real wall: what a cell made is delivered once, what
// a dead one made is not, and the state, the words and the records agree.
func TestM40_ASessionOverTheWholeHouse(t *testing.T) {
	h, state := openRealHouse(t, cellwall.Budget{SameError: 2})
	s := createReal(t, h)
	for _, step := range []cellStep{
		{"x = 41\nprint(df.revenue.sum())", cellwall.StatusOK, "3\n", nil, ""},
		{"_ = open('a.txt', 'w').write('one')", cellwall.StatusOK, "", []string{"a.txt"}, ""},
		{"print(x + 1, open('a.txt').read())", cellwall.StatusOK, "42 one\n", nil, ""},
		{"_ = open('a.txt', 'w').write('two')", cellwall.StatusOK, "", []string{"a.txt"}, ""},
		{"x = 0; _ = open('a.txt', 'w').write('six')\n_ = open('b.txt', 'w').write('dead')\nimport os; os._exit(7)", cellwall.StatusCrashed, "", nil, "from before it"},
		{"print(x + 1, open('a.txt').read(), __import__('os').listdir('.'))", cellwall.StatusOK, "42 two ['a.txt']\n", nil, ""},
		{"b = bytearray(10**9)", cellwall.StatusMemoryLimit, "", nil, "from before it"},
		{"_ = open('a.txt', 'w').write('two'); print(x)", cellwall.StatusOK, "41\n", []string{"a.txt"}, ""},
	} {
		step.check(t, s)
	}
	branchAndUndo(t, s)
	pauseAndResume(t, s)
	for range 2 {
		cellStep{"df.revenu", cellwall.StatusError, "", nil, ""}.check(t, s)
	}
	r, err := s.Cell(t.Context(), session.Cell{Code: "df.revenu", Language: "zh"}, nil)
	if err != nil || r.Status != cellwall.StatusRefused || r.Observation.Stop == nil || r.Observation.Reason != cellwall.StopSameError ||
		!strings.Contains(r.Observation.Suggestion, "同一类错误") {
		t.Errorf("a third time: %+v, %v", r, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	recorded(t, filepath.Join(state, "records"), s)
}

// A branch beside its origin, over all rooms: everything is there, inputs too, and
// neither hears of the other.
func TestM40_ABranchBesideItsOriginOverTheWholeHouse(t *testing.T) {
	h, _ := openRealHouse(t, cellwall.Budget{})
	s := createReal(t, h)
	cellStep{"x = 41\ng = (n for n in df.revenue)\n_ = open('a.txt', 'w').write('one')", cellwall.StatusOK, "", []string{"a.txt"}, ""}.check(t, s)
	branch, lost, result, err := s.Beside(t.Context(), session.Beside{})
	if err != nil || branch == nil {
		t.Fatalf("beside: %+v, %v", result, err)
	}
	if len(lost) != 1 || lost[0].Code != cellwall.LostVariables || lost[0].Args["names"] != "g (generator)" {
		t.Errorf("lost is %v", lost)
	}
	for _, step := range []cellStep{
		{"print(x, df.revenue.sum(), open('a.txt').read(), open('/workspace/input/sales.csv').readline().strip())", cellwall.StatusOK, "41 3 one region,revenue\n", nil, ""},
		{"x = 1; _ = open('a.txt', 'w').write('two')", cellwall.StatusOK, "", []string{"a.txt"}, ""},
		{"import os; os._exit(7)", cellwall.StatusCrashed, "", nil, "from before it"},
		{"print(x, open('a.txt').read())", cellwall.StatusOK, "1 two\n", nil, ""},
	} {
		step.check(t, branch)
	}
	cellStep{"print(x, next(g), open('a.txt').read())", cellwall.StatusOK, "41 1 one\n", nil, ""}.check(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	cellStep{"print(x)", cellwall.StatusOK, "1\n", nil, ""}.check(t, branch)
}

// createReal opens a session on two rows.
func createReal(t *testing.T, h *house) *session.Session {
	t.Helper()
	csv := filepath.Join(t.TempDir(), "sales.csv")
	if err := os.WriteFile(csv, []byte("region,revenue\nN,1\nS,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	inputs, undo, err := openInputs([]string{csv}, cellwall.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer undo()
	s, r, err := h.sessions.Create(t.Context(), cellwall.Request{Datasets: inputs, Limits: cellwall.Limits{Timeout: 20 * time.Second}}, nil)
	if err != nil || s == nil || !r.OK || len(r.Datasets) != 1 || r.Datasets[0].Rows != 2 {
		t.Fatalf("create: %+v, %v", r, err)
	}
	return s
}

// branchAndUndo goes back and forth: variables and files together.
func branchAndUndo(t *testing.T, s *session.Session) {
	t.Helper()
	awaitCheckpoint(t, s)
	if made, err := s.Branch(t.Context(), "other"); err != nil || !made.New {
		t.Fatalf("branch: %+v, %v", made, err)
	}
	cellStep{"x = 'b'; _ = open('a.txt', 'w').write('bbb')", cellwall.StatusOK, "", []string{"a.txt"}, ""}.check(t, s)
	awaitCheckpoint(t, s)
	if back, err := s.Branch(t.Context(), session.Main); err != nil || back.Restored == nil || !back.Restored.Files {
		t.Fatalf("back: %+v, %v", back, err)
	}
	look := "print(x, open('a.txt').read())"
	cellStep{look, cellwall.StatusOK, "41 two\n", nil, ""}.check(t, s)
	cellStep{"x = 5; _ = open('a.txt', 'w').write('undo')", cellwall.StatusOK, "", []string{"a.txt"}, ""}.check(t, s)
	if back, err := s.Undo(t.Context()); err != nil || !back.Files {
		t.Fatalf("undo: %+v, %v", back, err)
	}
	cellStep{look, cellwall.StatusOK, "41 two\n", nil, ""}.check(t, s)
	if back, err := s.Branch(t.Context(), "other"); err != nil || back.Restored == nil {
		t.Fatalf("to the other: %+v, %v", back, err)
	}
	cellStep{look, cellwall.StatusOK, "b bbb\n", nil, ""}.check(t, s)
}

// pauseAndResume freezes the session between two cells, where the host can.
func pauseAndResume(t *testing.T, s *session.Session) {
	t.Helper()
	err := s.Pause(t.Context())
	if cellwall.CodeOf(err) == cellwall.CodeProtectionMissing {
		t.Logf("this host freezes nothing: %v", err)
		return
	}
	if err != nil || s.Info().State != session.Paused {
		t.Fatalf("pause: %v", err)
	}
	if _, err := s.Cell(t.Context(), session.Cell{Code: "x = 0"}, nil); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("a cell of a paused session: %v", err)
	}
	if err := s.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	cellStep{"print(x)", cellwall.StatusOK, "b\n", nil, ""}.check(t, s)
}

// awaitCheckpoint runs cells that do nothing until the live state has a
// checkpoint: on a host without a processor to spare one may be put off.
func awaitCheckpoint(t *testing.T, s *session.Session) {
	t.Helper()
	for range 50 {
		list, err := s.Checkpoints(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		cells := s.History()
		last := cells[len(cells)-1].Result.ID
		if slices.ContainsFunc(list, func(c cellwall.Checkpoint) bool { return c.Live && c.Execution == last }) {
			return
		}
		cellStep{"pass", cellwall.StatusOK, "", nil, ""}.check(t, s)
	}
	t.Fatal("no checkpoint of the live state is ever taken")
}

// recorded checks that every cell has an entry that names it.
func recorded(t *testing.T, dir string, s *session.Session) {
	t.Helper()
	days, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var cells []int
	stops, deaths, rollbacks := 0, 0, 0
	for _, day := range days {
		f, err := os.Open(day)
		if err != nil {
			t.Fatal(err)
		}
		damaged, err := audit.Read(f, func(line []byte) error {
			var e controller.Entry
			if err := json.Unmarshal(line, &e); err != nil || e.Session != s.ID() {
				return err
			}
			if e.Code == "" && e.Restored != nil {
				rollbacks++
				return nil
			}
			cells = append(cells, e.Cell)
			if e.Stop != nil {
				stops++
			}
			if e.Restored != nil && e.Restored.Checkpoint != "" {
				deaths++
			}
			return nil
		})
		f.Close()
		if err != nil || damaged != 0 {
			t.Fatal(damaged, err)
		}
	}
	want := []int{0} // the beginning
	for _, e := range s.History() {
		want = append(want, e.Number)
	}
	want = append(want, 0) // the stop
	if !slices.Equal(cells, want) || stops != 1 || deaths != 2 || rollbacks != 3 {
		t.Errorf("records of cells %v, want %v; %d stops, %d deaths, %d rollbacks", cells, want, stops, deaths, rollbacks)
	}
}

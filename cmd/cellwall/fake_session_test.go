package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/cellwall/cellwall"
)

// scriptedSession is a scripted sandbox that lives on. Its cells are the lines
// of scripted, and
//
//	set NAME VALUE        a variable
//	get NAME              print it, or fail as Python does without it
//	die                   leave without a word: back to the last checkpoint
//
// A cell that ends with ":" wants another line. Indentation, empty lines and
// comments mean nothing.
type scriptedSession struct {
	scriptedSandbox
	vars  map[string]string
	kept  []scriptedState
	at    int // index in kept of what the live state grew from
	since int // cells behind it

	mu          sync.Mutex
	interrupted chan struct{} // of the cell that runs
}

type scriptedState struct {
	cellwall.Checkpoint
	vars  map[string]string
	files fstest.MapFS
}

func (s *scriptedSession) Begin(ctx context.Context, code cellwall.Code, _ cellwall.Sink) (cellwall.End, error) {
	s.vars, s.at = map[string]string{}, -1
	s.checkpoint(code.Execution)
	return cellwall.End{Status: cellwall.StatusOK}, ctx.Err()
}

func (s *scriptedSession) checkpoint(execution string) {
	c := cellwall.Checkpoint{ID: cellwall.NewID(cellwall.PrefixCheckpoint), Execution: execution, At: time.Now(), Files: true}
	if s.at >= 0 {
		c.Parent = s.kept[s.at].ID
	}
	s.kept = append(s.kept, scriptedState{c, maps.Clone(s.vars), maps.Clone(s.files)})
	s.at, s.since = len(s.kept)-1, 0
}

func (s *scriptedSession) restore(at int) cellwall.Restored {
	s.at, s.vars, s.files = at, maps.Clone(s.kept[at].vars), maps.Clone(s.kept[at].files)
	back := cellwall.Restored{Checkpoint: s.kept[at].ID, Cells: s.since + 1, Files: true, Lost: []cellwall.Notice{
		{Code: cellwall.LostThreads, Args: map[string]string{"count": "2", "names": "evil\x1b[31m"}},
	}}
	s.since = 0
	return back
}

func (s *scriptedSession) Cell(ctx context.Context, code cellwall.Code, sink cellwall.Sink) (cellwall.End, error) {
	stop := make(chan struct{})
	s.mu.Lock()
	s.interrupted = stop
	s.mu.Unlock()
	end := cellwall.End{Status: cellwall.StatusOK}
	for _, line := range strings.Split(strings.TrimSpace(code.Source), "\n") {
		line = strings.TrimLeft(line, " ")
		if line == "" || line[0] == '#' {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "set":
			name, value, _ := strings.Cut(rest, " ")
			s.vars[name] = value
		case "get":
			if value, ok := s.vars[rest]; ok {
				line = "out " + value + `\n`
				break
			}
			end, line = failing("NameError", fmt.Sprintf("name '%s' is not defined", rest), sink, ctx)
		case "die":
			back := s.restore(s.at)
			return cellwall.End{Status: cellwall.StatusCrashed, Cause: cellwall.CauseExit + ":7", Restored: &back}, nil
		case "wait":
			select {
			case <-stop:
				end, line = failing("KeyboardInterrupt", "", sink, ctx)
			case <-ctx.Done():
				return cellwall.End{Status: cellwall.StatusCancelled, Cause: cellwall.CauseCancelled}, nil
			}
		}
		if slices.Contains([]string{"set", "die", "wait"}, verb) || line == "" {
			continue
		}
		var err error
		if end, err = s.obey(ctx, line, end, sink); err != nil {
			return end, err
		}
	}
	s.since++
	s.checkpoint(code.Execution)
	return end, nil
}

// failing is the end of a cell by an exception.
func failing(kind, message string, sink cellwall.Sink, ctx context.Context) (end cellwall.End, line string) {
	raw, err := json.Marshal(cellwall.ExecutionError{Type: kind, Message: message, Line: 1, Traceback: "Traceback:\n" + kind + ": " + message})
	if err == nil {
		err = sink(ctx, cellwall.Event{Kind: cellwall.EventError, Data: raw})
	}
	if err != nil {
		return cellwall.End{Status: cellwall.StatusInternalError}, ""
	}
	return cellwall.End{Status: cellwall.StatusError, Cause: cellwall.CauseException}, ""
}

func (s *scriptedSession) Interrupt(string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.interrupted != nil {
		close(s.interrupted)
		s.interrupted = nil
	}
	return nil
}

func (s *scriptedSession) Ask(_ context.Context, q cellwall.Question) (a cellwall.Answer, err error) {
	names := slices.Sorted(maps.Keys(s.vars))
	switch q.Kind {
	case cellwall.AskVariables:
		for _, n := range names {
			a.Variables = append(a.Variables, cellwall.Variable{Name: n, Type: "str\x1b[2J", Shape: "3", Bytes: 2048})
		}
	case cellwall.AskComplete:
		before := string([]rune(q.Text)[:q.Cursor])
		a.Start, a.End = strings.LastIndexByte(before, ' ')+1, q.Cursor
		for _, n := range names {
			if strings.HasPrefix(n, before[a.Start:]) {
				a.Matches = append(a.Matches, n)
			}
		}
	case cellwall.AskFinished:
		lines := strings.Split(q.Text, "\n")
		a.Finished = !strings.HasSuffix(lines[0], ":") || len(lines) > 1 && lines[len(lines)-1] == ""
	}
	return a, nil
}

func (s *scriptedSession) Workspace() (fs.FS, error) { return s.files, nil }

func (s *scriptedSession) Checkpoints(context.Context) ([]cellwall.Checkpoint, error) {
	list := make([]cellwall.Checkpoint, len(s.kept))
	for i, k := range s.kept {
		list[i] = k.Checkpoint
		list[i].Live = i == s.at
	}
	return list, nil
}

func (s *scriptedSession) Rollback(_ context.Context, to cellwall.Return) (cellwall.Restored, error) {
	at := slices.IndexFunc(s.kept, func(k scriptedState) bool { return k.ID == to.To })
	if at < 0 {
		return cellwall.Restored{}, &cellwall.Error{Code: cellwall.CodeNotFound, Op: "roll back", Err: fmt.Errorf("no %s", to.To)}
	}
	return s.restore(at), nil
}

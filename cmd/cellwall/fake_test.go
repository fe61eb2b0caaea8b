package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/cellwall/cellwall"
)

// scripted is a backend whose programs are lines for a sandbox to obey:
//
//	out TEXT, err TEXT    print; TEXT is a Go string without its quotes
//	value TEXT            display a text
//	picture               display a picture
//	file NAME TEXT        leave a file
//	end STATUS CAUSE      how it ends, when not ok
//	wait                  until it is cancelled
//	nap DURATION          so long, or until it is cancelled
//	broken                fail as a backend
type scripted struct{ usable bool }

func (b scripted) Probe(context.Context) cellwall.Report {
	state := cellwall.Enforced
	if !b.usable {
		state = cellwall.Missing
	}
	return cellwall.Report{Backend: "native", Usable: b.usable, Protections: []cellwall.Protection{
		{Name: "memory_limit", State: state, Detail: "by a test", Hint: "delegate a control group"},
	}}
}

func (b scripted) Open(_ context.Context, spec cellwall.Spec) (cellwall.Sandbox, error) {
	if !b.usable && !spec.AllowDegraded {
		return nil, &cellwall.Error{
			Code: cellwall.CodeProtectionMissing, Op: "open sandbox", Err: fmt.Errorf("memory_limit cannot be had"),
			Hint: "delegate a control group, or pass --allow-degraded",
		}
	}
	sb := &scriptedSandbox{files: fstest.MapFS{}, boundary: cellwall.Boundary{Backend: "native", Environment: spec.Environment.Ref(), Network: "none"}}
	if !b.usable {
		sb.boundary.Degraded = []string{"memory_limit"}
	}
	if spec.Session {
		return &scriptedSession{scriptedSandbox: *sb}, nil
	}
	return sb, nil
}

func (scripted) Sweep(context.Context, func(string) bool) error { return nil }
func (scripted) Close() error                                   { return nil }

type scriptedSandbox struct {
	boundary cellwall.Boundary
	claim    cellwall.Claim
	files    fstest.MapFS
}

func (s *scriptedSandbox) Bind(_ context.Context, c cellwall.Claim) error { s.claim = c; return nil }
func (s *scriptedSandbox) Boundary() cellwall.Boundary                    { return s.boundary }
func (s *scriptedSandbox) Harvest(context.Context) (fs.FS, error)         { return s.files, nil }
func (s *scriptedSandbox) Close() error                                   { return nil }

func (s *scriptedSandbox) Run(ctx context.Context, code cellwall.Code, sink cellwall.Sink) (cellwall.End, error) {
	end := cellwall.End{Status: cellwall.StatusOK}
	if code.Describe {
		d := cellwall.Dataset{Name: "forged", Format: "csv", Rows: 3, RowsGiven: 3, Sample: "all", Columns: []cellwall.Column{{Name: "a\x1b[31m", DType: "int64"}}}
		raw, err := json.Marshal([]cellwall.Dataset{d})
		if err != nil {
			return end, err
		}
		return end, sink(ctx, cellwall.Event{Kind: cellwall.EventDatasets, Data: raw})
	}
	if err := sink(ctx, cellwall.Event{Kind: cellwall.EventStarted, Execution: code.Execution}); err != nil {
		return end, err
	}
	for _, line := range strings.Split(strings.TrimSpace(code.Source), "\n") {
		var err error
		if end, err = s.obey(ctx, line, end, sink); err != nil || end.Status == cellwall.StatusCancelled {
			return end, err
		}
	}
	return end, nil
}

// obey does what a line says, and returns how the program ends if it is the last.
func (s *scriptedSandbox) obey(ctx context.Context, line string, end cellwall.End, sink cellwall.Sink) (cellwall.End, error) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "wait", "nap":
		long := time.Minute // only against hanging
		if verb == "nap" {
			var err error
			if long, err = time.ParseDuration(rest); err != nil {
				return end, err
			}
		}
		select {
		case <-ctx.Done():
			return cellwall.End{Status: cellwall.StatusCancelled, Cause: cellwall.CauseCancelled}, nil
		case <-time.After(long):
		}
	case "end":
		status, cause, _ := strings.Cut(rest, " ")
		end.Status, end.Cause = cellwall.Status(status), cellwall.Cause(cause)
	case "file":
		name, text, _ := strings.Cut(rest, " ")
		s.files[name] = &fstest.MapFile{Data: []byte(text)}
	case "broken":
		return end, fmt.Errorf("the wall fell")
	default:
		e, err := scriptedEvent(verb, rest)
		if err != nil {
			return end, err
		}
		return end, sink(ctx, e)
	}
	return end, nil
}

func scriptedEvent(verb, rest string) (cellwall.Event, error) {
	text, err := strconv.Unquote(`"` + rest + `"`)
	if err != nil {
		return cellwall.Event{}, fmt.Errorf("unquote %q: %w", rest, err)
	}
	switch verb {
	case "out":
		return cellwall.Event{Kind: cellwall.EventStdout, Data: []byte(text)}, nil
	case "err":
		return cellwall.Event{Kind: cellwall.EventStderr, Data: []byte(text)}, nil
	case "value":
		return rich("text/plain", text), nil
	case "picture":
		return rich("image/png", "iVBORw0KGgo="), nil
	}
	return cellwall.Event{}, fmt.Errorf("unknown line %q", verb)
}

func rich(mime, text string) cellwall.Event {
	raw, _ := json.Marshal(text) // a string always encodes
	return cellwall.Event{Kind: cellwall.EventResult, Rich: &cellwall.Rich{Data: map[string]json.RawMessage{mime: raw}}}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/artifact"
)

// askedExecution is the body that runs code at a service.
type askedExecution struct {
	Code        string      `json:"code,omitempty"` // a session has none
	Datasets    []string    `json:"datasets,omitempty"`
	Environment string      `json:"environment,omitempty"`
	Backend     string      `json:"backend,omitempty"`
	Profile     string      `json:"profile,omitempty"`
	Tools       []string    `json:"tools,omitempty"`
	Limits      askedLimits `json:"limits"`
}

type askedLimits struct {
	TimeoutMS   int64   `json:"timeout_ms,omitempty"`
	MemoryBytes int64   `json:"memory_bytes,omitempty"`
	CPUs        float64 `json:"cpus,omitempty"`
	Processes   int     `json:"processes,omitempty"`
}

// runAt runs the request at a service, and brings what it left.
func (v *runVerb) runAt(ctx context.Context, p *program, at *client, req cellwall.Request) error {
	if result := unsendable(req); result != nil {
		if err := v.tell(p, result, nil); err != nil {
			return err
		}
		return status(exitOfResult(result, false))
	}
	live := &liveOutput{}
	if !v.JSON {
		live = p.newLiveOutput(v.Raw)
	}
	result, err := at.execute(ctx, v, req, live.sink)
	if err != nil {
		return err
	}
	live.flush()
	saved, err := v.bring(context.WithoutCancel(ctx), at, result)
	if err != nil {
		return err
	}
	if err := v.tell(p, result, saved); err != nil {
		return err
	}
	return status(exitOfResult(result, ctx.Err() != nil))
}

// execute sends code and files, and reads events until the Result. Ctrl-C cancels what
// runs there, so that its answer still comes: a connection that is given up ends nothing.
func (c *client) execute(typed context.Context, v *runVerb, req cellwall.Request, sink cellwall.Sink) (*cellwall.Result, error) {
	ctx, giveUp := context.WithCancel(context.WithoutCancel(typed))
	defer giveUp()
	var id atomic.Pointer[string] // nil until it runs
	defer context.AfterFunc(typed, func() {
		if id.Load() == nil || c.cancel(ctx, *id.Load()) != nil {
			giveUp()
		}
	})()
	out, in := io.Pipe()
	form := multipart.NewWriter(in)
	go func() { in.CloseWithError(writeForm(form, v, req)) }()
	res, err := c.do(ctx, http.MethodPost, "/v1/executions", map[string]string{
		"Content-Type": form.FormDataContentType(), "Accept": "text/event-stream", "Accept-Language": v.Lang,
	}, out)
	out.Close() // an early answer leaves the writer behind
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return readEvents(ctx, res.Body, func(ctx context.Context, e cellwall.Event) error {
		if e.Kind == cellwall.EventStarted {
			id.Store(&e.Execution)
		}
		return sink(ctx, e)
	})
}

// cancel ends an execution of the service.
func (c *client) cancel(ctx context.Context, id string) error {
	res, err := c.do(ctx, http.MethodDelete, "/v1/executions/"+id, nil, nil)
	if err == nil {
		res.Body.Close()
	}
	return err
}

func writeForm(form *multipart.Writer, v *runVerb, req cellwall.Request) error {
	body, err := json.Marshal(v.asked(req))
	if err != nil {
		return err
	}
	part, err := form.CreateFormField("request")
	if err == nil {
		_, err = part.Write(body)
	}
	for _, file := range req.Datasets {
		if err != nil {
			return err
		}
		if part, err = form.CreateFormFile("file", file.Name); err == nil {
			var f *os.File
			if f, err = again(file); err == nil {
				_, err = io.Copy(part, io.LimitReader(f, file.Size))
				f.Close()
			}
		}
	}
	return errors.Join(err, form.Close())
}

// again opens a file that is open: its descriptor stays the caller's.
func again(file cellwall.Input) (*os.File, error) {
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", file.FD))
}

// asked is the request as a service takes it.
func (v *runVerb) asked(req cellwall.Request) askedExecution {
	l := req.Limits
	return askedExecution{
		Code: req.Code, Environment: unless(v.Env, defaultEnvironment), Backend: unless(v.Backend, defaultBackend), Profile: unless(v.Profile, "default"),
		Tools: v.Tools, Limits: askedLimits{TimeoutMS: l.Timeout.Milliseconds(), MemoryBytes: l.MemoryBytes, CPUs: l.CPUs, Processes: l.Processes},
	}
}

// unless leaves what is the default here to the service.
func unless(value, ours string) string {
	if value == ours {
		return ""
	}
	return value
}

// maxEvent is far more than an event has: the last one carries the Result.
const maxEvent = 256 << 20

// readEvents passes on what comes while the code runs, and returns the Result.
func readEvents(ctx context.Context, body io.Reader, sink cellwall.Sink) (*cellwall.Result, error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 64<<10), maxEvent)
	kind := ""
	for lines.Scan() {
		name, data, _ := bytes.Cut(lines.Bytes(), []byte(": "))
		switch {
		case string(name) == "event":
			kind = string(data)
		case string(name) != "data":
		case kind == "done":
			r := &cellwall.Result{}
			return r, json.Unmarshal(data, r)
		case kind == "problem":
			return nil, problemOf(data, "without saying why")
		default:
			if err := pass(ctx, cellwall.EventKind(kind), data, sink); err != nil {
				return nil, err
			}
		}
	}
	return nil, fmt.Errorf("read events: %w", errors.Join(lines.Err(), io.ErrUnexpectedEOF))
}

// pass hands on what a program says and shows while it runs.
func pass(ctx context.Context, kind cellwall.EventKind, data []byte, sink cellwall.Sink) error {
	event := cellwall.Event{Kind: kind}
	var err error
	switch kind {
	case cellwall.EventStarted:
		var said struct{ ID string }
		err = json.Unmarshal(data, &said)
		event.Execution = said.ID
	case cellwall.EventStdout, cellwall.EventStderr:
		var said struct{ Text string }
		err = json.Unmarshal(data, &said)
		event.Data = []byte(said.Text)
	case cellwall.EventResult:
		event.Rich = &cellwall.Rich{}
		err = json.Unmarshal(data, event.Rich)
	default:
		return nil
	}
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	return sink(ctx, event)
}

// bring copies artifacts and figures to --out, by way of a store of its own: what
// is safe as a name and a place is decided there.
func (v *runVerb) bring(ctx context.Context, at *client, r *cellwall.Result) (figures []string, err error) {
	if v.Out == "" {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "cellwall-run-")
	if err != nil {
		return nil, fmt.Errorf("bring artifacts: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := artifact.OpenStore(dir)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	if err := at.fetch(ctx, store, r); err != nil {
		return nil, err
	}
	return v.save(ctx, &house{artifacts: store}, r)
}

// fetch puts the artifacts of a Result into a store of this host.
func (c *client) fetch(ctx context.Context, store *artifact.Store, r *cellwall.Result) error {
	for _, a := range r.Artifacts {
		res, err := c.do(ctx, http.MethodGet, "/v1/artifacts/"+a.ID, nil, nil)
		if err != nil {
			return err
		}
		got, err := store.Put(ctx, res.Body)
		res.Body.Close()
		if err == nil && got.SHA256 != a.SHA256 {
			err = errors.New("its content is another one")
		}
		if err != nil {
			return fmt.Errorf("bring artifact %s: %w", a.Name, err)
		}
	}
	return nil
}

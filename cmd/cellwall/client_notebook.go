package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/artifact"
	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
)

// sessionAt is a session at a service, for the cells of a notebook.
type sessionAt struct {
	*client
	id       string
	began    *cellwall.Result
	language string
	files    []string // paths of what was uploaded for it
	cells    int
	house    *house // its store holds the artifacts of the cells
	dir      string // of the store
	fetches  bool   // artifacts are wanted here
}

// openSessionAt opens one with the data files of the request, which the service
// keeps as long as the session.
func (v *runVerb) openSessionAt(ctx context.Context, req cellwall.Request) (_ *sessionAt, err error) {
	if v.budgetFlags != (budgetFlags{}) {
		return nil, usage("choose server", errors.New("--max-cells, --max-failures and --max-time are the server's to say"), "leave them away: a tenant's terms have budgets")
	}
	at, err := v.server()
	if err != nil {
		return nil, err
	}
	s := &sessionAt{client: at, language: v.Lang, fetches: v.Out != "", house: &house{}}
	defer func() {
		if err != nil {
			s.close(&err)
		}
	}()
	if s.dir, err = os.MkdirTemp("", "cellwall-run-"); err != nil {
		return nil, fmt.Errorf("bring artifacts: %w", err)
	}
	if s.house.artifacts, err = artifact.OpenStore(s.dir); err != nil {
		return nil, err
	}
	body := v.asked(req)
	for _, file := range req.Datasets {
		id, err := s.upload(ctx, file)
		if err != nil {
			return nil, err
		}
		body.Datasets = append(body.Datasets, id)
	}
	return s, s.open(ctx, body)
}

// upload makes a data file a dataset of the service.
func (s *sessionAt) upload(ctx context.Context, file cellwall.Input) (string, error) {
	f, err := again(file)
	if err != nil {
		return "", fmt.Errorf("send %s: %w", file.Name, err)
	}
	defer f.Close()
	res, err := s.do(ctx, http.MethodPost, "/v1/datasets", map[string]string{
		"Content-Type": "application/octet-stream", "Accept-Language": s.language,
		"Content-Disposition": mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}),
	}, io.LimitReader(f, file.Size))
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var made struct{ ID string }
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil {
		return "", fmt.Errorf("send %s: %w", file.Name, err)
	}
	s.files = append(s.files, "/v1/datasets/"+made.ID)
	return made.ID, nil
}

// open begins the session.
func (s *sessionAt) open(ctx context.Context, body askedExecution) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	res, err := s.do(ctx, http.MethodPost, "/v1/sessions", map[string]string{
		"Content-Type": "application/json", "Accept-Language": s.language,
	}, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var opened struct {
		ID    string
		Begin *cellwall.Result
	}
	if err := json.NewDecoder(res.Body).Decode(&opened); err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	s.id, s.began = opened.ID, opened.Begin
	return nil
}

// runCell runs one cell and puts what it left into the document. Ctrl-C interrupts
// it there, so that its answer still comes.
func (s *sessionAt) runCell(typed context.Context, c *notebook.Cell) (*cellwall.Result, error) {
	ctx, answered := context.WithCancel(context.WithoutCancel(typed))
	defer answered()
	defer context.AfterFunc(typed, func() { s.interrupt(ctx) })()
	raw, err := json.Marshal(map[string]string{"code": c.Source})
	if err != nil {
		return nil, err
	}
	res, err := s.do(ctx, http.MethodPost, "/v1/sessions/"+s.id+"/executions", map[string]string{
		"Content-Type": "application/json", "Accept": "text/event-stream", "Accept-Language": s.language,
	}, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var kept notebook.Recorder
	result, err := readEvents(ctx, res.Body, kept.Sink)
	if err == nil && s.fetches {
		err = s.fetch(ctx, s.house.artifacts, result)
	}
	if err != nil {
		return nil, err
	}
	if e := result.Error; e != nil { // what a stream says of it is in its end
		if raw, err := json.Marshal(e); err == nil {
			_ = kept.Sink(ctx, cellwall.Event{Kind: cellwall.EventError, Data: raw}) // it keeps, and never fails
		}
	}
	c.Clear()
	if result.Status != cellwall.StatusRefused {
		s.cells++
		c.Count = s.cells
	}
	c.Outputs = kept.Outputs(result, c.Count)
	return result, c.Sign(result)
}

// interrupt ends the cell that runs, and one that is about to: until its answer has
// come, which ends ctx.
func (s *sessionAt) interrupt(ctx context.Context) {
	for {
		res, err := s.do(ctx, http.MethodPost, "/v1/sessions/"+s.id+"/interrupt", nil, nil)
		if err != nil {
			return // the cell's own call hears of it, too
		}
		res.Body.Close()
		if !pauseFor(ctx, interruptAgain) {
			return
		}
	}
}

// interruptAgain is more than an interpreter needs to take an interrupt.
const interruptAgain = time.Second

// beginning is how its inputs were read.
func (s *sessionAt) beginning() *cellwall.Result { return s.began }

// receipt says what runs this session's cells.
func (s *sessionAt) receipt() notebook.Receipt { return receiptOf(s.id, s.began) }

// close ends the session and takes back what was uploaded for it.
func (s *sessionAt) close(err *error) {
	ctx := context.Background() // also when the run was interrupted
	var errs []error
	gone := s.files
	if s.id != "" {
		gone = append([]string{"/v1/sessions/" + s.id}, gone...)
	}
	for _, path := range gone {
		res, err := s.do(ctx, http.MethodDelete, path, nil, nil)
		if err == nil {
			err = res.Body.Close()
		}
		errs = append(errs, err)
	}
	if s.house.artifacts != nil {
		errs = append(errs, s.house.artifacts.Close())
	}
	errs = append(errs, os.RemoveAll(s.dir))
	if closeErr := errors.Join(errs...); closeErr != nil && *err == nil {
		*err = fmt.Errorf("put session away: %w", closeErr)
	}
}

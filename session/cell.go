package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
)

// Cell is what a caller says of one cell; everything else is the session's.
type Cell struct {
	ID                string // of the execution; "" = a new one
	Trace             string // id of the call that asked for it
	Subject           string // of the tenant, for whom it runs; "" = whom the session was opened for
	Metadata          map[string]string
	Code              string
	Purpose           string
	ExpectedArtifacts []string
	Timeout           time.Duration // 0 = the session's; never longer than that
	KeepFiles         bool          // when it is killed, its files stay
	TokenCost         float64       // what the caller paid for this code, in its own unit
	Language          string        // of hints; "" = the session's
	AttemptsLeft      *int
	Functions         []cellwall.Function // beside those of the session, which they hide by their names
	Approved          bool                // see cellwall.Request
	Spent             bool                // the session's meter has TokenCost already

	Begin func(context.Context) error // see cellwall.Request
}

// Cell runs one cell when its turn has come. What the code did is the Result;
// one that a budget stopped is refused, with a stop in its observation.
func (s *Session) Cell(ctx context.Context, c Cell, sink cellwall.Sink) (*cellwall.Result, error) {
	c.ID = cmp.Or(c.ID, cellwall.NewID(cellwall.PrefixExecution)) // by which it is interrupted
	req, err := s.request(c)
	if err != nil {
		return nil, err
	}
	inside, leave, err := s.work(ctx, call{op: "run cell", cell: true, runs: c.ID})
	if err != nil {
		return nil, err
	}
	defer leave()
	s.measure() // before it is asked for whether there is time left
	if s.meter != nil {
		if stop := s.meter.Admit(); stop != nil {
			return s.live.Stop(inside, req, *stop)
		}
	}
	number := s.next()
	began := time.Now()
	result, err := s.live.Cell(inside, req, number, sink)
	s.ran(Entry{Number: number, At: began, Code: c.Code, Result: result}, err)
	if s.meter != nil && result != nil {
		cost := c.TokenCost
		if c.Spent {
			cost = 0
		}
		s.meter.Note(result, cost)
	}
	return result, err
}

// request is the session's own, with what the cell says.
func (s *Session) request(c Cell) (cellwall.Request, error) {
	req := s.req
	if most := req.Limits.Timeout; c.Timeout < 0 || c.Timeout > most {
		return req, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "check timeout",
			Err:  fmt.Errorf("%v is outside 100ms to %v", c.Timeout, most),
			Hint: "a cell has at most the time that its session was opened with",
		}
	}
	if c.TokenCost < 0 || c.TokenCost != c.TokenCost {
		return req, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "check token cost", Err: fmt.Errorf("%v is no cost", c.TokenCost),
		}
	}
	req.ID, req.Trace, req.Metadata, req.TokenCost = c.ID, c.Trace, c.Metadata, c.TokenCost
	req.Code, req.Purpose, req.ExpectedArtifacts = c.Code, c.Purpose, c.ExpectedArtifacts
	req.KeepFiles, req.AttemptsLeft, req.Approved = c.KeepFiles, c.AttemptsLeft, c.Approved
	req.Begin = c.Begin
	req.Functions = replaced(req.Functions, c.Functions)
	if c.Subject != "" {
		req.Identity.Subject = c.Subject
	}
	if c.Timeout > 0 {
		req.Limits.Timeout = c.Timeout
	}
	if c.Language != "" {
		req.Language = c.Language
	}
	return req, nil
}

// replaced are the functions of a session with those of a cell, which hide others of
// their names.
func replaced(all, own []cellwall.Function) []cellwall.Function {
	kept := slices.Clone(own)
	for _, f := range all {
		if !slices.ContainsFunc(own, func(o cellwall.Function) bool { return o.Name == f.Name }) {
			kept = append(kept, f)
		}
	}
	return kept
}

// next gives the number of the next cell, which ran keeps.
func (s *Session) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count + 1
}

// ran notes what a cell has done to the session. What was refused, cancelled or put
// off before it ran did nothing and took no number.
func (s *Session) ran(e Entry, err error) {
	dead := errors.Is(err, cellwall.ErrSessionOver)
	if r := e.Result; r != nil {
		unsent := r.Status == cellwall.StatusCancelled && r.Usage.WallMS == 0 // its caller left while the last checkpoint was taken
		if r.Status == cellwall.StatusRefused || unsent {
			return
		}
		dead = dead || r.Restored != nil && r.Restored.Checkpoint == ""
	} else if cellwall.CodeOf(err) == cellwall.CodeBadRequest || errors.Is(err, cellwall.ErrNotSent) {
		return
	}
	s.mu.Lock()
	s.count = e.Number
	e.Branch = s.branches.live
	if e.Result != nil {
		s.cells += cpuOf(e.Result)
	}
	s.history.add(e)
	s.mu.Unlock()
	if dead {
		s.end(endDied)
	}
}

func cpuOf(r *cellwall.Result) time.Duration {
	return time.Duration(r.Usage.CPUMS * float64(time.Millisecond))
}

package controller

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cellwall/cellwall"
)

// Session names a session that is to be opened.
type Session struct {
	ID   string
	Sink cellwall.Sink // hears of the datasets while they are parsed; nil = nobody
}

// Opened is a session's sandbox with what was decided when it began. Its calls
// come one at a time; Close ends it.
type Opened struct {
	c        *Controller
	id       string
	req      cellwall.Request // without code; its inputs by name only
	spec     cellwall.Spec
	pool     Sandboxes
	sandbox  cellwall.Interpreter
	boundary cellwall.Boundary
	digests  *digests
	inputs   []cellwall.Input // with descriptors of its own
	datasets []cellwall.Dataset
	follower Follower
}

// Open takes a session from request to record as Run does an execution, up to
// its first state: the datasets of req parsed into df and dfs, no code. When
// that did not end ok, for instance for a file that cannot be parsed, the
// session is there without them. Opened is nil when the beginning was the end of
// the session, when the caller is gone, and when there is an error.
func (c *Controller) Open(ctx context.Context, req cellwall.Request, s Session) (*Opened, *cellwall.Result, error) {
	o, _, result, err := c.open(ctx, req, s, nil)
	return o, result, err
}

// open is Open, with the state of another session unless that is nil, and returns
// what the sandbox noticed meanwhile.
func (c *Controller) open(
	ctx context.Context, req cellwall.Request, s Session, state io.Reader,
) (*Opened, []cellwall.Notice, *cellwall.Result, error) {
	if c.opts.Follow == nil {
		return nil, nil, nil, errors.New("open session: no harvester is wired for sessions")
	}
	if !cellwall.ValidID(cellwall.PrefixSession, s.ID) {
		return nil, nil, nil, fmt.Errorf("open session: %q is no id of one", s.ID)
	}
	req.Code = ""
	inputs, err := duplicates(req.Datasets)
	if err != nil {
		return nil, nil, nil, err
	}
	x := &execution{c: c, req: req, sink: s.Sink, begins: s.ID, state: state}
	result, err := c.execute(ctx, x)
	if err != nil || !x.kept {
		closeInputs(inputs)
		return nil, nil, result, err
	}
	o := &Opened{
		c: c, id: s.ID, req: x.req, spec: x.spec, pool: x.pool, sandbox: x.sandbox.(cellwall.Interpreter),
		boundary: result.Boundary, digests: x.digests, inputs: inputs, datasets: result.Datasets, follower: c.opts.Follow(),
	}
	o.req.Datasets, o.req.Prelude = withoutDescriptors(req.Datasets), false
	o.spec.Inputs = nil
	return o, x.seen.notices, result, nil
}

// withoutDescriptors keeps what inputs are called: their descriptors belong to
// the caller, who may close them.
func withoutDescriptors(inputs []cellwall.Input) []cellwall.Input {
	named := make([]cellwall.Input, len(inputs))
	for i, in := range inputs {
		named[i] = cellwall.Input{Name: in.Name, Dataset: in.Dataset, Size: in.Size, FD: -1}
	}
	return named
}

// keep has the sandbox outlive the beginning of a session, unless that was its
// end as well.
func (x *execution) keep() {
	if x.begins != "" {
		over := x.end.Restored != nil && x.end.Restored.Checkpoint == ""
		x.kept = x.sandbox != nil && !over && x.result.Status != cellwall.StatusCancelled
	}
}

// Asked is the request that opened the session as its terms have narrowed it: without
// code, its inputs by name only.
func (o *Opened) Asked() cellwall.Request { return o.req }

// Interpreter is what the cells run in.
func (o *Opened) Interpreter() cellwall.Interpreter { return o.sandbox }

// Close gives the sandbox up. The pool closes it in the background.
func (o *Opened) Close() {
	o.pool.Destroy(o.sandbox)
	closeInputs(o.inputs)
}

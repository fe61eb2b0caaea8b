package native

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
)

// calls are what the code of one run asks of its Caller. The reader of frames never
// waits for an answer: each call has a goroutine of its own, few at once.
type calls struct {
	execution string
	answer    cellwall.Caller
	say       func(payload []byte) error // one at a time
	ctx       context.Context
	cancel    context.CancelFunc
	answering sync.WaitGroup
	speaking  sync.Mutex // held by who writes a reply

	mu     sync.Mutex // guards the rest
	last   uint64
	flying int
	over   bool // nothing is answered any more
}

// takeCalls has a run answer calls. Without functions a call breaks the protocol.
func (r *run) takeCalls(code cellwall.Code, say func(payload []byte) error) {
	if len(code.Functions) == 0 || code.Caller == nil {
		return
	}
	c := &calls{execution: code.Execution, answer: code.Caller, say: say}
	c.ctx, c.cancel = context.WithCancel(r.ctx)
	r.calls = c
}

// channel is where replies are written to.
type channel interface{ SetWriteDeadline(time.Time) error }

// begin lets replies take as long as the run does: end ends them.
func (c *calls) begin(to channel) {
	if c != nil {
		_ = to.SetWriteDeadline(time.Time{})
	}
}

// toolsOf is what the driver is told of functions.
func toolsOf(functions []cellwall.Function) []guest.Tool {
	tools := make([]guest.Tool, 0, len(functions))
	for _, f := range functions {
		tools = append(tools, guest.Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
	}
	return tools
}

// take begins to answer a call. A nil receiver takes none.
func (c *calls) take(payload []byte) error {
	if c == nil {
		return fmt.Errorf("%w: a call where nothing can be called", guest.ErrProtocol)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	call, err := guest.DecodeCall(payload, c.last+1)
	if err != nil {
		return err
	}
	c.last++
	if c.over { // what was under way when the run ended
		return nil
	}
	if c.flying == guest.MaxCalls {
		return fmt.Errorf("%w: more than %d calls at once", guest.ErrProtocol, guest.MaxCalls)
	}
	c.flying++
	c.answering.Go(func() { c.serve(call) })
	return nil
}

// serve answers one call.
func (c *calls) serve(call guest.Call) {
	reply := c.answer(c.ctx, cellwall.Call{Execution: c.execution, Number: call.ID, Name: call.Name, Arguments: call.Arguments})
	payload, err := said(call.ID, reply).Encode()
	if err != nil {
		payload, err = said(call.ID, cellwall.Reply{
			Failure: cellwall.CallFailed, Message: fmt.Sprintf("the result of %s cannot be passed on: %v", call.Name, err),
		}).Encode()
	}
	c.speaking.Lock()
	defer c.speaking.Unlock()
	c.mu.Lock()
	over := c.over
	c.flying-- // before the words: who has read them may call again
	c.mu.Unlock()
	if err != nil || over {
		return
	}
	_ = c.say(payload) // who does not read loses its answer, and ends by its own time
}

func said(id uint64, r cellwall.Reply) guest.Reply {
	reply := guest.Reply{ID: id, Kind: guest.ReplyJSON, Result: r.Result}
	switch {
	case r.Failure != "":
		reply = guest.Reply{ID: id, Kind: guest.ReplyError, Failure: string(r.Failure), Message: r.Message}
	case r.Table:
		reply.Kind = guest.ReplyTable
	}
	return reply
}

// end takes back what is under way: calls are cancelled, and who writes to a guest that
// does not read is woken. Afterwards nobody writes to the channel.
func (c *calls) end(to channel) {
	if c == nil {
		return
	}
	c.cancel()
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	_ = to.SetWriteDeadline(time.Unix(1, 0))
	c.answering.Wait()
}

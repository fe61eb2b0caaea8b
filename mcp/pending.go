package mcp

import (
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// pending are the requests of a connection that have no answer yet.
type pending struct {
	mu   sync.Mutex
	asks map[jsonrpc.ID]asked
	none chan struct{} // told when there are no more
}

// asked are the requests of one id: a client that is not well may send several.
type asked struct {
	n         int
	cancelled bool
}

func newPending() *pending {
	return &pending{asks: map[jsonrpc.ID]asked{}, none: make(chan struct{}, 1)}
}

// notificationCancelled is how a client says that it waits for an answer no longer.
const notificationCancelled = "notifications/cancelled"

// heard notes what a client sends.
func (p *pending) heard(r *jsonrpc.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case r.IsCall():
		a := p.asks[r.ID]
		a.n++
		p.asks[r.ID] = a
	case r.Method == notificationCancelled:
		var said struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(r.Params, &said) != nil {
			return // it cancels nothing
		}
		id, err := jsonrpc.MakeID(said.RequestID)
		if a, open := p.asks[id]; open && err == nil {
			a.cancelled = true
			p.asks[id] = a
		}
	}
}

// wanted is whether somebody waits for an answer.
func (p *pending) wanted(id jsonrpc.ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.asks[id].cancelled
}

// answered notes that a request is over.
func (p *pending) answered(id jsonrpc.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.asks[id]
	if a.n--; a.n > 0 {
		p.asks[id] = a
		return
	}
	if delete(p.asks, id); len(p.asks) == 0 {
		select {
		case p.none <- struct{}{}:
		default:
		}
	}
}

// idle is whether there is no such request.
func (p *pending) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asks) == 0
}

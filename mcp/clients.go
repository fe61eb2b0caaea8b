package mcp

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
)

// client is one session of a server of many.
type client struct {
	key     string // in the map that holds it
	caller  Caller
	session *Session
	end     func()
	shared  bool
	uses    int         // of a shared one, now
	idle    *time.Timer // of a shared one: the SDK ends the others
}

// serveFirst begins a session and answers its first request.
func (h *HTTP) serveFirst(w http.ResponseWriter, r *http.Request, c Caller) error {
	one, err := h.begin(r, c, rand.Text(), false)
	if err != nil {
		return err
	}
	h.lasting.ServeHTTP(w, within(r, one.session))
	for _, connection := range slices.Collect(one.session.server.Sessions()) {
		go func() {
			_ = connection.Wait() // how it ended is the client's affair
			h.drop(one)
		}()
		return nil
	}
	h.drop(one) // the SDK did not take the request
	return nil
}

// serveKnown answers a further request. Another caller's session is none.
func (h *HTTP) serveKnown(w http.ResponseWriter, r *http.Request, c Caller, id string) error {
	h.mu.Lock()
	one := h.sessions[id]
	h.mu.Unlock()
	if one == nil || one.caller != c {
		return &cellwall.Error{
			Code: cellwall.CodeNotFound, Op: "find session", Err: errors.New("there is no such session, or it has ended"), Hint: "send initialize without " + headerSession,
		}
	}
	if r.Method == http.MethodDelete {
		one.session.end() // the SDK would wait for what runs
	}
	h.lasting.ServeHTTP(w, within(r, one.session))
	return nil
}

// serveSingle answers a request that stands alone, in what its caller shares with
// others that ask the same way.
func (h *HTTP) serveSingle(w http.ResponseWriter, r *http.Request, c Caller) error {
	one, err := h.share(r, c)
	if err != nil {
		return err
	}
	defer h.release(one)
	h.single.ServeHTTP(w, within(r, one.session))
	return nil
}

// share finds the session of a caller and a query, or begins it.
func (h *HTTP) share(r *http.Request, c Caller) (*client, error) {
	key := c.Owner + "\n" + r.URL.RawQuery
	h.mu.Lock()
	one := h.shared[key]
	if one != nil {
		one.use()
	}
	h.mu.Unlock()
	if one != nil {
		return one, nil
	}
	return h.begin(r, c, key, true)
}

func (c *client) use() {
	c.uses++
	c.idle.Stop()
}

func (h *HTTP) release(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.uses--; c.uses == 0 {
		c.idle.Reset(h.opts.Idle)
	}
}

// expire ends a shared session that nobody has used.
func (h *HTTP) expire(c *client) {
	h.mu.Lock()
	used := c.uses > 0
	if !used {
		h.forget(c)
	}
	h.mu.Unlock()
	if !used {
		c.session.Close()
		c.end()
	}
}

// begin makes a session under a key, within the bounds. Two that begin to share at
// once get the one that was first.
func (h *HTTP) begin(r *http.Request, c Caller, key string, shared bool) (*client, error) {
	if err := h.reserve(c); err != nil {
		return nil, err
	}
	o, end, err := h.opts.Begin(r.Context(), c, r)
	if err != nil {
		h.mu.Lock()
		h.unreserve(c)
		h.mu.Unlock()
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = h.opts.Logger
	}
	o.reads = h.reads
	if !shared {
		o.id = key
	}
	one := &client{key: key, caller: c, session: New(o), end: end, shared: shared}
	h.mu.Lock()
	kept, other := one, (*client)(nil)
	switch {
	case h.over:
		other, kept = one, nil
	case !shared:
		h.sessions[key] = one
	case h.shared[key] != nil:
		other, kept = one, h.shared[key]
	default:
		one.idle = time.AfterFunc(h.opts.Idle, func() { h.expire(one) })
		h.shared[key] = one
	}
	if other != nil {
		h.unreserve(c)
	}
	if shared && kept != nil {
		kept.use()
	}
	h.mu.Unlock()
	if other != nil {
		other.session.Close()
		other.end()
	}
	if kept == nil {
		return nil, &cellwall.Error{Code: cellwall.CodeDraining, Op: "begin a session", Err: errors.New("the service is stopping"), RetryAfter: 5 * time.Second}
	}
	return kept, nil
}

// reserve takes a place for a session.
func (h *HTTP) reserve(c Caller) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := 0
	for _, n := range h.tenants {
		all += n
	}
	switch {
	case h.tenants[c.Tenant] >= h.opts.PerTenant:
		return &cellwall.Error{
			Code: cellwall.CodeRateLimited, Op: "begin a session", Err: fmt.Errorf("the tenant has %d already", h.opts.PerTenant),
			Hint: "end one with DELETE; one that is not used ends by itself", RetryAfter: time.Minute,
		}
	case all >= h.opts.Sessions:
		return &cellwall.Error{Code: cellwall.CodeBusy, Op: "begin a session", Err: errors.New("the service has as many as it may"), RetryAfter: time.Minute}
	}
	h.tenants[c.Tenant]++
	return nil
}

// unreserve gives the place back; h.mu is held.
func (h *HTTP) unreserve(c Caller) {
	if h.tenants[c.Tenant]--; h.tenants[c.Tenant] == 0 {
		delete(h.tenants, c.Tenant)
	}
}

// forget takes a session out of the maps; h.mu is held. It is false for one that is
// not in them any more.
func (h *HTTP) forget(c *client) bool {
	in := h.sessions
	if c.shared {
		in = h.shared
	}
	if in[c.key] != c {
		return false
	}
	delete(in, c.key)
	h.unreserve(c.caller)
	return true
}

// drop forgets a session and frees what it held, once.
func (h *HTTP) drop(c *client) {
	h.mu.Lock()
	was := h.forget(c)
	if c.idle != nil {
		c.idle.Stop()
	}
	h.mu.Unlock()
	if was {
		c.session.Close()
		c.end()
	}
}

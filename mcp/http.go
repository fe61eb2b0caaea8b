package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall"
)

// HTTPOptions make a server of many clients. Begin is required.
type HTTPOptions struct {
	// Begin makes what a session needs for a caller, by its request; end frees that.
	Begin func(ctx context.Context, c Caller, r *http.Request) (o Options, end func(), err error)
	// Sessions is how many may stand, and PerTenant how many of them for one tenant;
	// 0 = 1,000 and 100.
	Sessions  int
	PerTenant int
	Idle      time.Duration // without a request a session ends after this; 0 = 10 minutes
	Hosts     []string      // names by which clients reach it, beside loopback's, and from whose pages
	Logger    *slog.Logger  // nil = silent
}

// Caller is on whose behalf a request comes. A session is its owner's alone.
type Caller struct {
	Tenant string
	Owner  string // tenant, key and subject
}

// HTTP serves clients over streamable HTTP. It is safe for concurrent use.
type HTTP struct {
	opts    HTTPOptions
	lasting *sdk.StreamableHTTPHandler // sessions, until 2025-11-25
	single  *sdk.StreamableHTTPHandler // requests that stand alone, since 2026-07-28

	mu       sync.Mutex
	sessions map[string]*client // by Mcp-Session-Id
	shared   map[string]*client // by caller and query
	tenants  map[string]int     // how many of each
	over     bool

	reads chan struct{} // of all sessions
}

// keptEvents is how much of the answers of all clients is kept for those whose
// connection broke, in bytes.
const keptEvents = 32 << 20

// NewHTTP returns a server. Close it.
func NewHTTP(o HTTPOptions) *HTTP {
	o.Sessions, o.PerTenant, o.Idle = cmp.Or(o.Sessions, 1000), cmp.Or(o.PerTenant, 100), cmp.Or(o.Idle, 10*time.Minute)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	events := sdk.NewMemoryEventStore(nil)
	events.SetMaxBytes(keptEvents)
	h := &HTTP{opts: o, sessions: map[string]*client{}, shared: map[string]*client{}, tenants: map[string]int{}, reads: make(chan struct{}, mostReads)}
	h.lasting = sdk.NewStreamableHTTPHandler(serverOf, &sdk.StreamableHTTPOptions{
		SessionTimeout: o.Idle, EventStore: events, DisableLocalhostProtection: true, MaxRequestBodyBytes: mostMessage,
	})
	h.single = sdk.NewStreamableHTTPHandler(serverOf, &sdk.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: mostMessage,
	})
	return h
}

type sessionKey struct{}

// serverOf is the server of the session that the request was found to be for.
func serverOf(r *http.Request) *sdk.Server {
	s, _ := r.Context().Value(sessionKey{}).(*Session)
	if s == nil {
		return nil
	}
	return s.server
}

func within(r *http.Request, s *Session) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), sessionKey{}, s))
}

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	// standalone is the first version whose requests stand alone. Versions are dates.
	standalone = "2026-07-28"
)

// Serve answers a request of a caller's. An error is one of the package's codes, and
// nothing has been written then.
func (h *HTTP) Serve(w http.ResponseWriter, r *http.Request, c Caller) error {
	if err := h.guard(r); err != nil {
		return err
	}
	first := ""
	if r.Method == http.MethodPost {
		var err error
		if first, err = look(r); err != nil {
			return err
		}
	}
	id := r.Header.Get(headerSession)
	switch {
	case r.Header.Get(headerVersion) >= standalone:
		return h.serveSingle(w, r, c)
	case id != "":
		return h.serveKnown(w, r, c, id)
	case first == "initialize":
		return h.serveFirst(w, r, c)
	}
	return bad("begin a session", errors.New("the request has no "+headerSession), "send initialize first, and the id that it is answered with from then on")
}

// look reads the body, and returns the method of a message. What is no JSON is turned
// away here: the library behind has no bound of depth.
func look(r *http.Request) (method string, err error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, mostMessage+1))
	switch {
	case err != nil:
		return "", err
	case len(body) > mostMessage:
		return "", &cellwall.Error{Code: cellwall.CodeTooLarge, Op: "read message", Err: errors.New("it has more than a MiB"), Hint: "data files go to /v1/datasets"}
	case !json.Valid(body):
		return "", bad("read message", errors.New("it is no JSON"), "")
	case bytes.TrimSpace(body)[0] == '[':
		return "", bad("read message", errors.New("it is a batch"), "send one message in a request")
	}
	var message struct {
		Method string `json:"method"`
	}
	_ = json.Unmarshal(body, &message) // a list, or what the SDK refuses in the words of the protocol
	r.Body = io.NopCloser(bytes.NewReader(body))
	return message.Method, nil
}

func bad(op string, err error, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: op, Err: err, Hint: hint}
}

// Close ends every session, and begins none any more.
func (h *HTTP) Close() {
	h.mu.Lock()
	h.over = true
	var all []*client
	for _, m := range []map[string]*client{h.sessions, h.shared} {
		for _, c := range m {
			all = append(all, c)
		}
	}
	h.mu.Unlock()
	for _, c := range all {
		c.session.Close()
		h.drop(c)
	}
}

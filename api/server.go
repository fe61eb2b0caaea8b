package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api/stream"
)

// Options wire a server. Keys, Work and Recorder are required; a route whose
// room is missing is not there.
type Options struct {
	Keys         Keys
	Work         Work
	Executions   Executions
	Once         Once
	Datasets     Datasets
	Uploads      Uploads
	Artifacts    Artifacts
	ColumnMasks  *ColumnMasks // with Datasets and Artifacts
	Sources      Sources      // with Datasets, Sessions and Artifacts
	Environments Environments
	Recorder     Recorder
	Sessions     Sessions
	MCP          MCP
	Toolboxes    Toolboxes
	Approvals    Approvals
	Ratings      Ratings
	Background   Background
	Events       Events
	Webhooks     Webhooks
	Alerts       Alerts
	Accounts     Accounts
	Entries      Entries
	Receipts     Receipts
	Lockdowns    Lockdowns
	Functions    Functions

	// Gate refuses new work: CodeDraining, CodeLockedDown, CodeBusy. Nil = never.
	Gate func() error
	// Ready fails while the default backend cannot run. Nil = it can.
	Ready func(context.Context) error
	// Watch is told of each call before anything of it is looked at, with the header
	// of its answer, and by what it returns of its end, once. The call goes on in
	// the ctx that it returns. Nil = nobody watches.
	Watch func(answer http.Header, r *http.Request) (context.Context, func(Call))
	// Metrics answers GET /metrics.
	Metrics http.Handler

	Secret  [32]byte     // signs links and cursors; the same in every instance over one store
	Spool   string       // directory for the files of requests; "" = the system's
	Version string       // shown in the OpenAPI document
	Logger  *slog.Logger // nil = silent
	Held    int64        // bytes of bodies in memory, all calls together, an eighth for one tenant; 0 = 256 MiB

	Calls      int   // of one tenant at once; 0 = 2048
	MCPStreams int   // of one tenant's clients of MCP at once; 0 = 64
	Outgoing   int64 // bytes of large answers that nobody has read yet, an eighth for one tenant; 0 = 256 MiB

	// BodyPatience is how long a body may take without 16 KiB a second; 0 = 20
	// seconds.
	BodyPatience time.Duration
}

const defaultHeld = 256 * cellwall.MiB

// Server answers the service's HTTP requests. It is safe for concurrent use.
type Server struct {
	opts      Options
	mux       *http.ServeMux
	huma      huma.API
	patterns  map[string]*route
	queries   queries
	document  []byte // openapi.json
	page      []byte // docs
	seats     seats
	bodies    *room // bytes of bodies in memory
	bodyShare int64
	calls     *calls
	apart     *detached
	behind    *behind
	underWay  *underWay
	inner     http.Handler // behind the checks

	going     outgoing
	questions *questions // calls out of sandboxes that wait for their answer

	Streams *stream.Shelf // of executions that were streamed
}

// New returns a server over the rooms of o.
func New(o Options) (*Server, error) {
	if o.Keys == nil || o.Work == nil || o.Recorder == nil {
		return nil, errors.New("make server: keys, work and recorder are needed")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Held <= 0 {
		o.Held = defaultHeld
	}
	if o.Calls <= 0 {
		o.Calls = mostCalls
	}
	if o.MCPStreams <= 0 {
		o.MCPStreams = mostStreams
	}
	if o.BodyPatience <= 0 {
		o.BodyPatience = bodyPatience
	}
	o.Work = noted{o.Work}
	strictCasing()
	s := &Server{
		opts: o, mux: http.NewServeMux(), patterns: byPattern(),
		seats: newSeats(), bodies: newRoom(o.Held), bodyShare: shareOf(o.Held), going: newOutgoing(o.Outgoing),
		apart: newDetached(), behind: newBehind(), underWay: newUnderWay(), questions: newQuestions(), Streams: stream.NewShelf(stream.Options{}),
	}
	s.calls = newCalls(o.Recorder, o.Logger)
	s.huma = humago.New(s.mux, s.config())
	for _, register := range s.groups() {
		register()
	}
	s.queries = queriesOf(s.huma.OpenAPI())
	if err := s.render(); err != nil {
		return nil, err
	}
	s.inner = compressed(s.mux)
	return s, nil
}

// strictCasing makes huma tell Code from code, in this process once: the decoder
// would take one for the other.
var strictCasing = sync.OnceFunc(func() { huma.ValidateStrictCasing = true })

// Close ends the work that calls left behind and writes what has not been
// recorded yet. No call may come any more.
func (s *Server) Close() error {
	s.apart.stop()
	s.apart.running.Wait()
	s.Streams.Close()
	return s.calls.flush()
}

// The times a client may take. A body and an answer have paces of their own.
const (
	headerPatience = 10 * time.Second
	idlePatience   = 2 * time.Minute
	maxHeader      = 16 << 10
)

// HTTP returns a server with the bounds that hold before a request has been
// read. Its caller listens, and sets ConnContext (see WithPeer).
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience, MaxHeaderBytes: maxHeader,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.opts.Logger.Handler(), slog.LevelDebug),
	}
}

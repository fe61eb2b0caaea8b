package api

import (
	"context"
	"net/http"
	"time"

	"github.com/cellwall/cellwall/api/stream"
)

// followStream is serveStream for a stream of events that stands for as long as the client
// listens: a tenant has so many at once.
func (s *Server) followStream(ctx context.Context, w http.ResponseWriter, r *http.Request, src stream.Source, after uint64) error {
	return streaming(s.seats.streams, mostStreams, callerOf(r.Context()).Tenant, func() error {
		return s.serveStream(ctx, w, r, src, after)
	})
}

// serveStream sends the events of src for as long as the caller may hear them: a
// stream can last for days, and a key that was revoked, has expired or lost its
// scope opens it no longer, nor does one of a tenant that was closed. It comes back,
// and is refused, by itself.
func (s *Server) serveStream(ctx context.Context, w http.ResponseWriter, r *http.Request, src stream.Source, after uint64) error {
	return stream.Serve(ctx, w, allowed{src, func() error { return s.still(r) }}, after)
}

// still says why the caller of r is refused by now.
func (s *Server) still(r *http.Request) error {
	return s.identify(r, &call{route: callOf(r.Context()).route})
}

// allowed is a source that fails once still does.
type allowed struct {
	stream.Source
	still func() error
}

func (a allowed) Reader(after uint64) stream.Reader {
	return allowedReader{a.Source.Reader(after), a.still}
}

type allowedReader struct {
	stream.Reader
	still func() error
}

// Next looks before it waits and before it tells. What ends by itself needs no leave
// to have ended.
func (r allowedReader) Next(ctx context.Context) ([]stream.Event, error) {
	if err := r.still(); err != nil {
		return nil, err
	}
	events, err := r.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	return events, r.still()
}

// whileAllowed ends a handler whose answer goes on for long, and is not ours to send
// piece by piece, when the caller may not hear it any more.
func (s *Server) whileAllowed(h func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go s.endRefused(ctx, cancel, r)
		return h(w, r.WithContext(ctx))
	}
}

// endRefused cancels once the caller of r is refused. It returns when ctx ends.
func (s *Server) endRefused(ctx context.Context, cancel func(), r *http.Request) {
	look := time.NewTicker(stream.Beat)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if s.still(r) != nil {
				cancel()
			}
		}
	}
}

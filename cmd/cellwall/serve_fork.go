package main

import (
	"context"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/session"
)

// besideSession is how the room of sessions has one opened beside another.
type besideSession = func(
	context.Context, session.Live, cellwall.Identity, string, cellwall.Sink,
) (session.Live, []cellwall.Notice, *cellwall.Result, error)

// cutForks has a lockdown cancel the cells of sessions that live beside others, and
// their beginning.
func (s *service) cutForks(open besideSession) besideSession {
	return func(
		ctx context.Context, origin session.Live, who cellwall.Identity, id string, sink cellwall.Sink,
	) (session.Live, []cellwall.Notice, *cellwall.Result, error) {
		ctx, done := s.gate.within(ctx)
		defer done()
		if cut, ok := origin.(cutLive); ok {
			origin = cut.Live
		}
		live, lost, result, err := open(ctx, origin, who, id, sink)
		if live == nil {
			return nil, nil, result, err
		}
		return cutLive{live, s.gate}, lost, result, err
	}
}

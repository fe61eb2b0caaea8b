package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/notify"
	"github.com/cellwall/cellwall/session"
	"github.com/cellwall/cellwall/store"
)

// sessionsTold keeps which sessions live, and has their tenants hear of it: also
// of those that a service took with it when it was killed.
type sessionsTold struct {
	store    *store.Store
	bus      *notify.Bus
	log      *slog.Logger
	tools    time.Duration // how long the tools of a session may outlive it
	draining func() bool   // whether sessions end because the service does
}

// tell makes a room of sessions keep them.
func (s sessionsTold) tell(o *session.Options) {
	open := o.Open
	o.Open = func(ctx context.Context, req cellwall.Request, id string, sink cellwall.Sink) (session.Live, *cellwall.Result, error) {
		live, result, err := open(ctx, req, id, sink)
		if live == nil {
			return nil, result, err
		}
		if err := s.opened(ctx, req.Identity, id, live); err != nil {
			return nil, nil, err
		}
		return live, result, err
	}
	if beside := o.Beside; beside != nil {
		o.Beside = func(
			ctx context.Context, origin session.Live, who cellwall.Identity, id string, sink cellwall.Sink,
		) (session.Live, []cellwall.Notice, *cellwall.Result, error) {
			live, lost, result, err := beside(ctx, origin, who, id, sink)
			if live != nil {
				err = s.opened(ctx, who, id, live)
			}
			if err != nil {
				return nil, nil, nil, err
			}
			return live, lost, result, nil
		}
	}
	o.Ended = s.ended
}

// opened keeps and tells that a session stands, or closes it.
func (s sessionsTold) opened(ctx context.Context, who cellwall.Identity, id string, live session.Live) error {
	told := happening(who.Tenant, "session.opened", map[string]string{"session_id": id})
	now := time.Now().UTC()
	plan, err := planOf(live)
	// Whoever asked may have gone: the session stands, and has to be known.
	if err == nil {
		err = s.store.OpenSession(context.WithoutCancel(ctx), store.LiveSession{
			Tenant: who.Tenant, ID: id, Subject: who.Subject, At: now, Tools: plan, ToolsUntil: now.Add(s.tools),
		}, told)
	}
	if err != nil {
		live.Close()
		return fmt.Errorf("open session: %w", err)
	}
	s.bus.Kept(who.Tenant)
	return nil
}

// ended tells of a session that was put away.
func (s sessionsTold) ended(one *session.Session, why string) {
	who, id, spent := one.Info().Identity, one.ID(), one.Spent()
	told := happening(who.Tenant, "session.ended", map[string]any{
		"session_id": id, "why": why, "cpu_ms": milliseconds(spent.Cells), "between_cpu_ms": betweenMS(spent),
	})
	if err := s.store.EndSession(context.Background(), who.Tenant, id, s.draining(), told); err != nil {
		s.log.Error("tell the end of a session", "session", id, "error", err) // the next start does
		return
	}
	s.bus.Kept(who.Tenant)
}

// loseSessions tells of the sessions that ended with a service that died.
func (s *service) loseSessions(ctx context.Context) error {
	n, err := s.kept.LoseSessions(ctx, func(l store.LiveSession) cellwall.Happening {
		return happening(l.Tenant, "session.ended", map[string]string{"session_id": l.ID, "why": "lost"})
	})
	if n > 0 {
		s.log.Warn("sessions ended with the service before", "sessions", n)
	}
	return err
}

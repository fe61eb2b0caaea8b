package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/cellwall/cellwall/controller"
)

// noted has one line of log for each execution that is on record: what it was is
// told by ids and words alone, unless the operator asked for code.
type noted struct {
	next recorder
	log  *slog.Logger
	// code is what the log may hold of a tenant's code; nil = nothing.
	code func(tenant, code string) string
}

// Append records, then logs.
func (n noted) Append(at time.Time, entry any) error {
	if err := n.next.Append(at, entry); err != nil {
		return err
	}
	e, ok := entry.(controller.Entry)
	if !ok || e.Code == "" && e.Refusal == "" { // nothing was to run
		return nil
	}
	level, line := slog.LevelDebug, []slog.Attr{
		slog.String("execution", e.ID), slog.String("request_id", e.Call), slog.String("tenant", e.Identity.Tenant),
		slog.String("status", string(e.Status)), slog.String("cause", string(e.Cause)), slog.String("refusal", string(e.Refusal)),
		slog.Float64("wall_ms", e.Usage.WallMS),
	}
	if n.code != nil {
		level, line = slog.LevelInfo, append(line, slog.String("code", n.code(e.Identity.Tenant, e.Code)))
	}
	n.log.LogAttrs(context.Background(), level, "execution", line...)
	return nil
}

// logCode is what the log may hold of code: all that the records hold, where
// log.code is set.
func (s *service) logCode() func(tenant, code string) string {
	if !s.settings.Log.Code {
		return nil
	}
	return func(tenant, code string) string {
		if mask := s.kept.ledger.masks(tenant); mask != nil {
			return mask(code)
		}
		return code
	}
}

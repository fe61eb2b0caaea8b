package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// Traced returns a handler that adds to each record of a traced request the id of
// its trace, as trace_id.
func Traced(next slog.Handler) slog.Handler { return traced{next} }

type traced struct{ slog.Handler }

// Handle passes a record on.
func (t traced) Handle(ctx context.Context, r slog.Record) error {
	if at := trace.SpanContextFromContext(ctx); at.IsSampled() {
		r.AddAttrs(slog.String("trace_id", at.TraceID().String()))
	}
	return t.Handler.Handle(ctx, r)
}

// WithAttrs keeps adding.
func (t traced) WithAttrs(a []slog.Attr) slog.Handler { return traced{t.Handler.WithAttrs(a)} }

// WithGroup keeps adding.
func (t traced) WithGroup(name string) slog.Handler { return traced{t.Handler.WithGroup(name)} }

package telemetry

import (
	"context"
	"log/slog"
	"sync/atomic"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// bounded lets only so many spans wait, those under way included, and counts the
// ones that it turns away: the library's own queue does not tell.
type bounded struct {
	sdk.SpanProcessor
	sent    *sender
	most    int64
	dropped atomic.Int64
}

// OnEnd passes a span on, or drops it. It does not wait.
func (b *bounded) OnEnd(s sdk.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	if b.sent.waiting.Add(1) > b.most {
		b.sent.waiting.Add(-1)
		b.dropped.Add(1)
		return
	}
	b.SpanProcessor.OnEnd(s)
}

// sender counts what leaves, and keeps failures to the service's own log: the
// library would tell a handler of the whole process.
type sender struct {
	sdk.SpanExporter
	log                   *slog.Logger
	waiting, sent, failed atomic.Int64
	failures              int64 // in a row; of the one goroutine that sends
}

// ExportSpans sends a message.
func (s *sender) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := s.SpanExporter.ExportSpans(ctx, spans)
	n := int64(len(spans))
	s.waiting.Add(-n)
	if err == nil {
		s.sent.Add(n)
		s.failures = 0
		return nil
	}
	s.failed.Add(n)
	if s.failures++; s.failures&(s.failures-1) == 0 { // 1, 2, 4, …: a collector may be gone for days
		s.log.Warn("send traces", "error", err, "spans", n, "failures", s.failures)
	}
	return nil
}

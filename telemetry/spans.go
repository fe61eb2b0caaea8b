package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/cellwall/cellwall"
)

// Request begins the span of a request, below the caller's traceparent where there
// is one, and answers with the header traceresponse. Probes of health are not
// traced. The span ends, with its name, by what is returned.
func (t *Traces) Request(answer http.Header, r *http.Request) (context.Context, func(Request)) {
	ctx := r.Context()
	if t == nil || unwatched(r.URL.Path) {
		return ctx, func(Request) {}
	}
	if caller := t.caller(r.Header); caller.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, caller)
	}
	ctx, span := t.tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
	if !span.IsRecording() {
		return ctx, func(Request) { span.End() }
	}
	own := propagation.HeaderCarrier{}
	t.carrier.Inject(ctx, own)
	answer.Set("Traceresponse", own.Get("traceparent"))
	return ctx, func(done Request) {
		method, route := knownMethod(done.Method), done.Route
		if route == "" {
			route = "none"
		}
		span.SetName(method + " " + route)
		span.SetAttributes(
			attribute.String("http.request.method", method), attribute.String("http.route", route),
			attribute.Int("http.response.status_code", done.Status),
			attribute.String("cellwall.request_id", done.ID), attribute.String("cellwall.tenant", done.Tenant))
		if done.Status >= 500 {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// caller is the span of whoever asks. Of its tracestate, which is whatever the
// caller wrote, nothing is kept.
func (t *Traces) caller(h http.Header) trace.SpanContext {
	if h.Get("Traceparent") == "" {
		return trace.SpanContext{}
	}
	said := propagation.HeaderCarrier{"Traceparent": h["Traceparent"][:1]}
	return trace.SpanContextFromContext(t.carrier.Extract(context.Background(), said))
}

// unwatched are the paths that are asked every few seconds whether all is well.
func unwatched(path string) bool {
	return path == "/healthz" || path == "/readyz" || path == "/metrics"
}

// Stage begins the span of a stage below that of ctx. It ends by what is
// returned; of an error it keeps the code alone, for texts may hold names of
// files.
func (t *Traces) Stage(ctx context.Context, stage string) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	if above := trace.SpanContextFromContext(ctx); above.IsValid() && !above.IsSampled() {
		return ctx, func(error) {} // it was decided that nobody sees this one
	}
	ctx, span := t.tracer.Start(ctx, stage)
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, string(cellwall.CodeOf(err)))
		}
		span.End()
	}
}

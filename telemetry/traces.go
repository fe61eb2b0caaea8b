package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// TraceOptions say where traces go. Endpoint is required.
type TraceOptions struct {
	Endpoint string  // http:// or https://; without a path it is …/v1/traces
	Ratio    float64 // of the requests whose caller did not decide, 0 to 1
	Version  string  // of the build
	Instance string  // which of the services it is, "" = it does not say

	Queue  int           // spans that wait to be sent; further ones are lost; 0 = 4096
	Every  time.Duration // how often what waits is sent; 0 = 2 s
	Logger *slog.Logger  // nil = silent
}

// Bounds of what leaves: a collector that is slow or gone costs memory for a
// queue, and nobody waits for it.
const (
	defaultQueue = 4096
	defaultEvery = 2 * time.Second
	maxExport    = 512              // spans in one message
	maxSending   = 20 * time.Second // for one message, tries again included
	lastWords    = 2 * time.Second  // for what still waits at the end
)

// Traces are the stages of requests and executions, sent to a collector. A nil one
// traces nothing. It is safe for concurrent use.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	carrier  propagation.TraceContext
	bounded  *bounded
}

// OpenTraces returns traces that are sent until they are closed. It fails for an
// endpoint that is none, and does not ask whether somebody listens there.
func OpenTraces(ctx context.Context, o TraceOptions) (*Traces, error) {
	endpoint, err := tracesURL(o.Endpoint)
	if err != nil {
		return nil, err
	}
	if o.Queue <= 0 {
		o.Queue = defaultQueue
	}
	if o.Every <= 0 {
		o.Every = defaultEvery
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(endpoint), otlptracehttp.WithTimeout(maxSending/2),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: time.Second, MaxInterval: 5 * time.Second, MaxElapsedTime: maxSending}))
	if err != nil {
		return nil, fmt.Errorf("open traces: %w", err)
	}
	sent := &sender{SpanExporter: exporter, log: o.Logger}
	waiting := &bounded{
		SpanProcessor: sdk.NewBatchSpanProcessor(sent, sdk.WithMaxQueueSize(o.Queue), sdk.WithMaxExportBatchSize(min(maxExport, o.Queue)),
			sdk.WithBatchTimeout(o.Every), sdk.WithExportTimeout(maxSending)),
		sent: sent, most: int64(o.Queue),
	}
	provider := sdk.NewTracerProvider(
		sdk.WithSpanProcessor(waiting), sdk.WithResource(o.resource()),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.Ratio))))
	return &Traces{provider: provider, tracer: provider.Tracer("github.com/cellwall/cellwall"), bounded: waiting}, nil
}

// resource is whose traces they are. OTEL_RESOURCE_ATTRIBUTES may add to it.
func (o TraceOptions) resource() *resource.Resource {
	said := []attribute.KeyValue{attribute.String("service.name", "cellwall"), attribute.String("service.version", o.Version)}
	if o.Instance != "" {
		said = append(said, attribute.String("service.instance.id", o.Instance))
	}
	return resource.NewSchemaless(said...)
}

// CheckEndpoint says what is wrong with an endpoint.
func CheckEndpoint(endpoint string) error {
	_, err := tracesURL(endpoint)
	return err
}

// tracesURL is the address that traces are posted to.
func tracesURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" {
		return "", errors.New("find collector: it is no http:// or https:// address") // it may hold a password
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}

// Spans returns how many were sent, and how many got lost.
func (t *Traces) Spans() Spans {
	if t == nil {
		return Spans{}
	}
	sent := t.bounded.sent
	return Spans{Sent: sent.sent.Load(), Lost: sent.failed.Load() + t.bounded.dropped.Load()}
}

// Close sends what waits, and gives up after two seconds.
func (t *Traces) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("close traces: %w", err)
	}
	return nil
}

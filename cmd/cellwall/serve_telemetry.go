package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/pool"
	"github.com/cellwall/cellwall/telemetry"
)

// openTelemetry makes what counts and traces; the rooms that it asks open later.
func (s *service) openTelemetry(ctx context.Context) (err error) {
	b := thisBuild()
	if s.settings.OTLPEndpoint != "" {
		s.traces, err = telemetry.OpenTraces(ctx, telemetry.TraceOptions{
			Endpoint: s.settings.OTLPEndpoint, Ratio: s.settings.OTLPRatio, Version: b.Version, Instance: s.settings.Listen, Logger: s.log,
		})
		if err != nil {
			return err
		}
		s.undo.Add(s.traces.Close)
		s.log = slog.New(telemetry.Traced(s.log.Handler()))
	}
	s.metrics = telemetry.NewMetrics(telemetry.Options{
		Version: b.Version, Revision: b.Revision, Tenants: s.settings.Metrics.Tenants, Logger: s.log,
	})
	return nil
}

// addTelemetry has calls counted, and gives the API the figures.
func (s *service) addTelemetry(o *api.Options) {
	s.metrics.Ask(telemetry.Rooms{
		Queue: s.queueFigures, Pools: s.poolFigures, Store: s.storeFigures, Audit: s.auditFigures, Webhooks: s.webhookFigures,
		Spans: s.traces.Spans,
	})
	o.Metrics, o.Watch = s.metrics, s.watch
}

// watch counts and traces a call.
func (s *service) watch(answer http.Header, r *http.Request) (context.Context, func(api.Call)) {
	s.metrics.Began()
	ctx, end := s.traces.Request(answer, r)
	return ctx, func(c api.Call) {
		end(telemetry.Request(c))
		s.metrics.Answered(telemetry.Request(c))
	}
}

// stage measures and traces a stage of an execution.
func (s *service) stage(ctx context.Context, name string) (context.Context, func(error)) {
	began := time.Now()
	ctx, end := s.traces.Stage(ctx, name)
	return ctx, func(err error) {
		end(err)
		s.metrics.Stage(name, time.Since(began))
	}
}

// counted has executions counted when they are on record.
type counted struct {
	next    recorder
	metrics *telemetry.Metrics
}

// Append records, then counts.
func (c counted) Append(at time.Time, entry any) error {
	if err := c.next.Append(at, entry); err != nil {
		return err
	}
	if e, ok := entry.(controller.Entry); ok && (e.Code != "" || e.Refusal != "") { // else nothing was to run
		c.metrics.Executed(telemetry.Execution{
			Tenant: e.Identity.Tenant, Status: e.Status, Cause: e.Cause, Refusal: e.Refusal, Refused: e.Refused,
		})
	}
	return nil
}

// timedBackend measures how long sandboxes take to open.
type timedBackend struct {
	next interface {
		Open(context.Context, cellwall.Spec) (cellwall.Sandbox, error)
	}
	metrics *telemetry.Metrics
}

// Open opens a sandbox; one that failed is no warm fork.
func (b timedBackend) Open(ctx context.Context, spec cellwall.Spec) (cellwall.Sandbox, error) {
	began := time.Now()
	sb, err := b.next.Open(ctx, spec)
	if err == nil {
		b.metrics.Forked(spec.Ahead, time.Since(began))
	}
	return sb, err
}

// queueFigures are the queue's, in the words of the metrics.
func (s *service) queueFigures() telemetry.Queue {
	q := s.queue.Stats()
	return telemetry.Queue{
		Servers: q.Servers, Wanted: q.Wanted, Running: q.Running, Waiting: q.Waiting, Tenants: q.Tenants,
		Admitted: q.Admitted, Full: q.Full, Shed: q.Shed, Left: q.Left,
		Arrival: q.Arrival, Admission: q.Admission, Service: q.Service,
		Predicted: q.Predicted, Corrected: q.PredictedCorrected, Seen: q.Seen,
	}
}

// poolFigures are those of the pools by the name of their environment, whatever
// digest it has had, and by whether a session begins there.
func (s *service) poolFigures() []telemetry.Pool { return pooled(s.house.pool.Stats()) }

func pooled(stats map[pool.Kind]pool.Stats) []telemetry.Pool {
	type label struct {
		environment string
		session     bool
	}
	at, list := map[label]int{}, []telemetry.Pool{}
	for kind, p := range stats {
		name, _, _ := strings.Cut(kind.Environment, "@")
		l := label{name, kind.Session}
		i, ok := at[l]
		if !ok {
			i = len(list)
			at[l] = i
			list = append(list, telemetry.Pool{Environment: name, Session: kind.Session})
		}
		sum := &list[i]
		sum.Ready, sum.Target, sum.Filling, sum.Closing = sum.Ready+p.Ready, sum.Target+p.Target, sum.Filling+p.Filling, sum.Closing+p.Closing
		sum.Claims, sum.Misses, sum.Discarded = sum.Claims+p.Claimed, sum.Misses+p.Direct, sum.Discarded+p.Discarded
		sum.Failed, sum.CloseFailed = sum.Failed+p.Failed, sum.CloseFailed+p.CloseFailed
	}
	return list
}

func (s *service) storeFigures() telemetry.Batches {
	n := s.kept.Stats()
	return telemetry.Batches{Batches: n.Batches, Entries: n.Writes, Took: n.Took}
}

func (s *service) auditFigures() telemetry.Batches {
	return telemetry.Batches(s.records.Stats())
}

func (s *service) webhookFigures() telemetry.Webhooks { return telemetry.Webhooks(s.bus.Stats()) }

// metricsPatience bounds each part of a scrape, and the end of those under way.
const metricsPatience = 10 * time.Second

// openMetrics serves /metrics to this host without a key, where the settings say so.
func (s *service) openMetrics(ctx context.Context) error {
	if s.settings.MetricsListen == "" {
		return nil
	}
	l, err := listen(ctx, "tcp", s.settings.MetricsListen)
	if err != nil {
		return err
	}
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", asThisHost(s.metrics))
	server := &http.Server{
		Handler: routes, ReadTimeout: metricsPatience, WriteTimeout: metricsPatience, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
	attend(server)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(bound(l, metricsConnections)); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("metrics are served no more", "error", err)
		}
	}()
	s.undo.Add(func() error {
		err := server.Close()
		<-done
		return err
	})
	s.log.Info("metrics", "address", "http://"+l.Addr().String()+"/metrics")
	return nil
}

// metricsConnections is how many scrapes may be there at once.
const metricsConnections = 16

// asThisHost serves those who call this host by one of its own names. A page in a
// browser here, whose name was made to lead here, does not.
func asThisHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !loopback(strings.Trim(host, "[]")) {
			http.Error(w, "not for other hosts", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

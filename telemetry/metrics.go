package telemetry

import (
	"cmp"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options say what metrics tell beside what the rooms do.
type Options struct {
	Version  string // of the build
	Revision string
	Tenants  bool         // count executions by tenant, too: up to 1000 of them, the rest are "other"
	Logger   *slog.Logger // of figures that cannot be gathered; nil = silent
}

// Metrics counts what happens, and asks the rooms for what they know when
// somebody reads. It is safe for concurrent use and shares nothing with another
// one of its process.
type Metrics struct {
	registry *prometheus.Registry
	handler  http.Handler
	requests
	executions
	durations
}

// NewMetrics returns metrics that have counted nothing.
func NewMetrics(o Options) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: newRequests(), executions: newExecutions(o.Tenants), durations: newDurations(),
	}
	built := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "cellwall_build_info", Help: "1, with what the binary was built from.",
		ConstLabels: prometheus.Labels{"version": cmp.Or(o.Version, "unknown"), "revision": cmp.Or(o.Revision, "unknown")},
	})
	built.Set(1)
	m.registry.MustRegister(
		built, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests.count, m.requests.took, m.requests.flying,
		m.verdicts, m.turned, m.calls, m.between,
		m.stages, m.forks,
	)
	if m.tenants != nil {
		m.registry.MustRegister(m.tenants, m.betweens)
	}
	logger := o.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: complaints{logger}, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 8, DisableCompression: true,
	})
	return m
}

// ServeHTTP answers with all figures in Prometheus' text format.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.handler.ServeHTTP(w, r) }

// complaints are what the library has to say.
type complaints struct{ log *slog.Logger }

// Println logs it.
func (c complaints) Println(v ...any) { c.log.Error("gather metrics", "error", v) }

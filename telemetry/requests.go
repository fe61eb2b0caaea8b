package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Request is one that was answered.
type Request struct {
	ID     string // X-Request-Id
	Route  string // the pattern of the route; "" = it met none
	Method string
	Tenant string
	Status int
	Took   time.Duration
}

// requests are rate, errors and duration by route.
type requests struct {
	count  *prometheus.CounterVec
	took   *prometheus.HistogramVec
	flying prometheus.Gauge
}

// requestBuckets go from an answer out of memory to the longest timeout.
var requestBuckets = []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 300}

func newRequests() requests {
	return requests{
		count: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cellwall_http_requests_total", Help: "Requests that were answered, by route and class of status.",
		}, []string{"route", "method", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "cellwall_http_request_duration_seconds", Help: "Time from the request's header to the end of its answer.", Buckets: requestBuckets,
		}, []string{"route", "method"}),
		flying: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "cellwall_http_requests_in_flight", Help: "Requests that are being answered.",
		}),
	}
}

// Began counts a request that arrived. Each has its Answered.
func (m *Metrics) Began() { m.flying.Inc() }

// Answered counts a request that was answered.
func (m *Metrics) Answered(r Request) {
	m.flying.Dec()
	route, method := r.Route, knownMethod(r.Method)
	if route == "" {
		route = "none"
	}
	m.requests.count.WithLabelValues(route, method, class(r.Status)).Inc()
	m.requests.took.WithLabelValues(route, method).Observe(r.Took.Seconds())
}

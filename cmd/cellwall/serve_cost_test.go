package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/cellwall/cellwall/telemetry"
)

// What metrics and traces cost a trivial program over HTTP, in the real wall: the
// three take turns, so that what else the machine does meets all of them. The
// medians are told in µs; the differences are what is asked.
func BenchmarkServe_what_is_watched(b *testing.B) {
	to := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer to.Close()
	watched := func(endpoint string) *service {
		s := &service{log: slog.New(slog.DiscardHandler), metrics: telemetry.NewMetrics(telemetry.Options{})}
		if endpoint != "" {
			var err error
			if s.traces, err = telemetry.OpenTraces(b.Context(), telemetry.TraceOptions{Endpoint: endpoint, Ratio: 1}); err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { s.traces.Close() })
		}
		return s
	}
	ways := []struct {
		name string
		here *here
		took []time.Duration
	}{{name: "off", here: serveHere(b)}, {name: "metrics", here: serveHere(b, watched(""))}, {name: "traced", here: serveHere(b, watched(to.URL))}}
	for i := range ways {
		for range 20 {
			ways[i].here.must(200, "e2b_aa", "POST", "/v1/executions", execution("1"))
		}
	}
	for n := 0; b.Loop(); n++ {
		for i := range ways {
			w := &ways[(i+n)%len(ways)]
			began := time.Now()
			w.here.must(200, "e2b_aa", "POST", "/v1/executions", execution("1"))
			w.took = append(w.took, time.Since(began))
		}
	}
	for _, w := range ways {
		slices.Sort(w.took)
		b.ReportMetric(float64(w.took[len(w.took)/2].Nanoseconds())/1000, w.name+"-µs")
	}
}

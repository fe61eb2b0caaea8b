package telemetry

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// durations are how long the parts of an execution take.
type durations struct {
	stages *prometheus.HistogramVec
	forks  *prometheus.HistogramVec
}

// stageBuckets go from what is decided in memory to the longest timeout.
var stageBuckets = []float64{.00001, .0001, .0002, .0005, .001, .002, .005, .01, .02, .05, .1, .5, 1, 5, 10, 30, 60, 300}

// forkBuckets are around the milliseconds that a warm fork takes.
var forkBuckets = []float64{.001, .002, .003, .005, .0075, .01, .015, .02, .03, .05, .1, .25, 1, 5}

func newDurations() durations {
	return durations{
		stages: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "cellwall_stage_duration_seconds", Help: "Time in each stage of an execution; claim is the wait for a sandbox, execution is all of them.",
			Buckets: stageBuckets,
		}, []string{"stage"}),
		forks: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "cellwall_warm_fork_duration_seconds", Help: "Time to open a sandbox: ahead of need, or while somebody waited.", Buckets: forkBuckets,
		}, []string{"ahead"}),
	}
}

// Stage counts one stage of an execution. Its name is one of the controller's.
func (m *Metrics) Stage(name string, took time.Duration) {
	m.stages.WithLabelValues(name).Observe(took.Seconds())
}

// Forked counts a sandbox that was opened.
func (m *Metrics) Forked(ahead bool, took time.Duration) {
	m.forks.WithLabelValues(strconv.FormatBool(ahead)).Observe(took.Seconds())
}

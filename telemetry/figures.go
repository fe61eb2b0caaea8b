package telemetry

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// figure is one line of what the rooms know.
type figure struct {
	name   string
	help   string
	labels []string
}

var (
	kind    = []string{"environment", "session"}
	figures = [...]figure{
		{"cellwall_queue_servers", "Executions that may run at once.", nil},
		{"cellwall_queue_wanted_servers", "With so many the mean wait of all requests were acceptable.", nil},
		{"cellwall_queue_running", "Executions that have their turn.", nil},
		{"cellwall_queue_waiting", "Executions that wait for it.", nil},
		{"cellwall_queue_tenants", "Tenants whose executions run or wait.", nil},
		{"cellwall_queue_arrivals_per_second", "Measured rate of all requests.", nil},
		{"cellwall_queue_lambda", "Measured rate of those that stayed for their turn, per second.", nil},
		{"cellwall_queue_mu", "Measured rate at which one server ends executions, per second.", nil},
		{"cellwall_queue_predicted_wait_seconds", "Mean wait by the model: raw, or corrected for the measured variation. The one that was seen where many are refused or go away.", []string{"model"}},
		{"cellwall_queue_seen_wait_seconds", "Mean wait of those whose turn began.", nil},
		{"cellwall_queue_admitted_total", "Executions that were given a turn.", nil},
		{"cellwall_queue_refused_total", "Executions that could not wait: the line was full, or the predicted wait too long.", []string{"why"}},
		{"cellwall_queue_left_total", "Executions whose caller went away while they waited.", nil},

		{"cellwall_pool_ready", "Sandboxes that wait for a claim.", kind},
		{"cellwall_pool_target", "Sandboxes that are to be ready.", kind},
		{"cellwall_pool_filling", "Sandboxes that are being opened ahead.", kind},
		{"cellwall_pool_closing", "Sandboxes that are being closed.", kind},
		{"cellwall_pool_claims_total", "Sandboxes that were handed out.", kind},
		{"cellwall_pool_misses_total", "Of these, opened while somebody waited, because none was ready.", kind},
		{"cellwall_pool_discarded_total", "Sandboxes that died while they waited.", kind},
		{"cellwall_pool_failures_total", "Sandboxes that could not be opened or closed.", []string{"environment", "session", "at"}},

		{"cellwall_store_batches_total", "Transactions of the database.", nil},
		{"cellwall_store_writes_total", "Writes that shared them.", nil},
		{"cellwall_store_commit_seconds_total", "Time that they took; of PostgreSQL the sync included.", nil},
		{"cellwall_audit_batches_total", "Writes to the records.", nil},
		{"cellwall_audit_writes_total", "Records that shared them.", nil},
		{"cellwall_audit_commit_seconds_total", "Time that they took; the sync comes behind them.", nil},

		{"cellwall_webhook_deliveries_total", "Tries to deliver an event: taken, to be tried again, given up.", []string{"outcome"}},
		{"cellwall_events_lost_total", "Events for which the line had no room.", nil},
		{"cellwall_trace_spans_total", "Spans of traces: sent, or lost because nobody took them.", []string{"outcome"}},
	}
)

func describe() map[string]*prometheus.Desc {
	all := make(map[string]*prometheus.Desc, len(figures))
	for _, f := range figures {
		all[f.name] = prometheus.NewDesc(f.name, f.help, f.labels, nil)
	}
	return all
}

// teller says figures by their names.
type teller struct {
	figures map[string]*prometheus.Desc
	to      chan<- prometheus.Metric
}

func (t teller) gauge(name string, v float64, labels ...string) {
	t.to <- prometheus.MustNewConstMetric(t.figures["cellwall_"+name], prometheus.GaugeValue, v, labels...)
}

func (t teller) counter(name string, v float64, labels ...string) {
	t.to <- prometheus.MustNewConstMetric(t.figures["cellwall_"+name], prometheus.CounterValue, v, labels...)
}

func (t teller) queue(q Queue) {
	t.gauge("queue_servers", float64(q.Servers))
	t.gauge("queue_wanted_servers", float64(q.Wanted))
	t.gauge("queue_running", float64(q.Running))
	t.gauge("queue_waiting", float64(q.Waiting))
	t.gauge("queue_tenants", float64(q.Tenants))
	t.gauge("queue_arrivals_per_second", q.Arrival)
	t.gauge("queue_lambda", q.Admission)
	t.gauge("queue_mu", q.Service)
	t.gauge("queue_predicted_wait_seconds", q.Predicted.Seconds(), "raw")
	t.gauge("queue_predicted_wait_seconds", q.Corrected.Seconds(), "corrected")
	t.gauge("queue_seen_wait_seconds", q.Seen.Seconds())
	t.counter("queue_admitted_total", float64(q.Admitted))
	t.counter("queue_refused_total", float64(q.Full), "full")
	t.counter("queue_refused_total", float64(q.Shed), "shed")
	t.counter("queue_left_total", float64(q.Left))
}

func (t teller) pool(p Pool) {
	environment, session := p.Environment, strconv.FormatBool(p.Session)
	if environment == "" {
		environment = "none"
	}
	t.gauge("pool_ready", float64(p.Ready), environment, session)
	t.gauge("pool_target", float64(p.Target), environment, session)
	t.gauge("pool_filling", float64(p.Filling), environment, session)
	t.gauge("pool_closing", float64(p.Closing), environment, session)
	t.counter("pool_claims_total", float64(p.Claims), environment, session)
	t.counter("pool_misses_total", float64(p.Misses), environment, session)
	t.counter("pool_discarded_total", float64(p.Discarded), environment, session)
	t.counter("pool_failures_total", float64(p.Failed), environment, session, "open")
	t.counter("pool_failures_total", float64(p.CloseFailed), environment, session, "close")
}

func (t teller) batches(room string, b Batches) {
	t.counter(room+"_batches_total", float64(b.Batches))
	t.counter(room+"_writes_total", float64(b.Entries))
	t.counter(room+"_commit_seconds_total", b.Took.Seconds())
}

func (t teller) webhooks(w Webhooks) {
	t.counter("webhook_deliveries_total", float64(w.Taken), "taken")
	t.counter("webhook_deliveries_total", float64(w.Retried), "retried")
	t.counter("webhook_deliveries_total", float64(w.GivenUp), "given_up")
	t.counter("events_lost_total", float64(w.Lost))
}

func (t teller) spans(s Spans) {
	t.counter("trace_spans_total", float64(s.Sent), "sent")
	t.counter("trace_spans_total", float64(s.Lost), "lost")
}

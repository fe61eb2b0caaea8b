package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cellwall/cellwall"
)

// Execution is one that was recorded: it ran, or was turned away.
type Execution struct {
	Tenant  string
	Status  cellwall.Status
	Cause   cellwall.Cause
	Refusal cellwall.ErrorCode // why it was turned away; "" = it was not
	Refused []cellwall.Refusal // calls that the wall refused
}

// executions are what came of them.
type executions struct {
	verdicts *prometheus.CounterVec
	turned   *prometheus.CounterVec
	calls    *prometheus.CounterVec
	tenants  *prometheus.CounterVec // nil unless asked for
	between  prometheus.Counter
	betweens *prometheus.CounterVec // of tenants; nil unless asked for

	callNames   *names
	tenantNames *names
}

// maxCalls is more than a kernel has calls: their names come from the wall's own
// table, and this holds if they ever do not. maxTenants is how many labels an
// operator gets who asks for them.
const (
	maxCalls   = 512
	maxTenants = 1000
)

func newExecutions(tenants bool) executions {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	e := executions{
		between: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "cellwall_between_cells_cpu_seconds_total", Help: "Processor time that sessions used beside their cells.",
		}),
		verdicts:  counter("cellwall_executions_total", "Executions and cells that were recorded, by how they ended.", "status", "cause"),
		turned:    counter("cellwall_turned_away_total", "Executions and cells that got no turn, by the code of the error.", "code"),
		calls:     counter("cellwall_refused_calls_total", "System calls that the wall refused, by name.", "call"),
		callNames: newNames(maxCalls), tenantNames: newNames(maxTenants),
	}
	if tenants {
		e.tenants = counter("cellwall_tenant_executions_total", "Executions and cells of each tenant.", "tenant", "status")
		e.betweens = counter("cellwall_tenant_between_cells_cpu_seconds_total", "Processor time that each tenant's sessions used beside their cells.", "tenant")
	}
	return e
}

// Between counts processor time that a session of a tenant used beside its cells.
func (m *Metrics) Between(tenant string, spent time.Duration) {
	m.between.Add(spent.Seconds())
	if m.betweens != nil {
		m.betweens.WithLabelValues(m.tenantNames.bounded(tenant)).Add(spent.Seconds())
	}
}

// Executed counts an execution.
func (m *Metrics) Executed(e Execution) {
	m.verdicts.WithLabelValues(string(e.Status), bareCause(e.Cause)).Inc()
	if e.Refusal != "" {
		m.turned.WithLabelValues(string(e.Refusal)).Inc()
	}
	for _, r := range e.Refused {
		m.calls.WithLabelValues(m.callNames.bounded(bareCall(r.Call))).Add(float64(r.Count))
	}
	if m.tenants != nil {
		m.tenants.WithLabelValues(m.tenantNames.bounded(e.Tenant), string(e.Status)).Inc()
	}
}

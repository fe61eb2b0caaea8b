package quota

import (
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Meter counts for one holder of a budget. It is safe for concurrent use.
type Meter struct {
	mu    sync.Mutex
	limit cellwall.Budget
	held  int // executions that run
	used  cellwall.Budget
	class string // of the latest failure, "" after one that ended ok
}

// NewMeter returns a Meter that nothing was counted on.
func NewMeter(limit cellwall.Budget) *Meter { return &Meter{limit: limit} }

// Limit is the budget.
func (m *Meter) Limit() cellwall.Budget {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.limit
}

// Restrict changes the budget; what was used stays.
func (m *Meter) Restrict(limit cellwall.Budget) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limit = limit
}

// Used is what was counted: Failures and SameError of the row that goes on now.
func (m *Meter) Used() cellwall.Budget {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// Admit returns nil while another execution may run, and else the budget that
// is reached.
func (m *Meter) Admit() *cellwall.Stop {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reached()
}

// Hold is Admit that also counts an execution as running, for which Free is
// called at its end, before Note.
func (m *Meter) Hold() *cellwall.Stop {
	m.mu.Lock()
	defer m.mu.Unlock()
	stop := m.reached()
	if stop == nil {
		m.held++
	}
	return stop
}

// Free ends what Hold began.
func (m *Meter) Free() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held--
}

// ResumeMeter returns a Meter that goes on with what Row gave.
func ResumeMeter(limit, used cellwall.Budget, class string) *Meter {
	return &Meter{limit: limit, used: used, class: class}
}

// Row is what is kept of it: what was used, and the class of the latest failure.
func (m *Meter) Row() (used cellwall.Budget, class string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used, m.class
}

// reached returns the first budget that is. The caller holds mu.
func (m *Meter) reached() *cellwall.Stop {
	l, u := m.limit, m.used
	u.Executions += m.held
	for _, bound := range [...]struct {
		reason      cellwall.StopReason
		limit, used float64
	}{
		{cellwall.StopExecutions, float64(l.Executions), float64(u.Executions)},
		{cellwall.StopFailures, float64(l.Failures), float64(u.Failures)},
		{cellwall.StopTime, milliseconds(l.Time), milliseconds(u.Time)},
		{cellwall.StopTokenCost, l.TokenCost, u.TokenCost},
		{cellwall.StopSameError, float64(l.SameError), float64(u.SameError)},
	} {
		if bound.limit > 0 && bound.used >= bound.limit {
			return &cellwall.Stop{Reason: bound.reason, Limit: bound.limit, Used: bound.used}
		}
	}
	return nil
}

// Note counts an execution that was admitted, and what its caller paid for it.
func (m *Meter) Note(r *cellwall.Result, tokenCost float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used.TokenCost += max(0, tokenCost)
	if r.Status != cellwall.StatusRefused {
		m.used.Executions++
		m.used.Time += time.Duration(max(0, r.Usage.WallMS) * float64(time.Millisecond))
	}
	switch {
	case r.OK:
		m.used.Failures, m.used.SameError, m.class = 0, 0, ""
	case r.Status == cellwall.StatusCancelled, r.Status == cellwall.StatusInternalError:
	default:
		m.used.Failures++
		if class := classOf(r); class != m.class {
			m.class, m.used.SameError = class, 0
		}
		m.used.SameError++
	}
}

// Ran counts processor time that a session used beside its cells, as the time of
// executions: who leaves something running computes as well.
func (m *Meter) Ran(spent time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used.Time += max(0, spent)
}

// Spend counts what was paid beside executions.
func (m *Meter) Spend(cost float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used.TokenCost += max(0, cost)
}

// classOf is what kind of failure it was.
func classOf(r *cellwall.Result) string {
	switch {
	case r.Observation.ErrorType != "":
		return r.Observation.ErrorType
	case r.Error != nil && r.Error.Type != "":
		return r.Error.Type
	case r.Status == cellwall.StatusRefused && len(r.Findings) > 0:
		return r.Findings[0].Rule
	}
	return string(r.Status)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

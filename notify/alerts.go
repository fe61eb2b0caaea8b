package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Verdict is how one execution ended, for rules to count.
type Verdict struct {
	Tenant  string
	At      time.Time
	Status  cellwall.Status
	Refused bool             // nothing of it ran
	Calls   map[string]int64 // system calls that the wall refused, by name
}

// alerts are the rules of all tenants, and what they count.
type alerts struct {
	opts Options
	tell func(cellwall.Happening)

	mu       sync.Mutex
	rules    map[string]*watch   // by id
	tenants  map[string][]*watch // by whose they are
	everyone []*watch            // the operator's
}

// watch is one rule at work.
type watch struct {
	kept     cellwall.AlertRule
	rule     Rule
	operator bool
	state    State
	seen     *window
}

func newAlerts(o Options, tell func(cellwall.Happening)) *alerts {
	return &alerts{opts: o, tell: tell, rules: map[string]*watch{}}
}

// load reads the rules; what those count that were there before stays.
func (a *alerts) load(ctx context.Context) error {
	list, err := a.opts.Book.Alerts(ctx, "")
	if err != nil {
		return fmt.Errorf("read alert rules: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	rules, tenants := map[string]*watch{}, map[string][]*watch{}
	a.everyone = nil
	for _, kept := range list {
		w, err := a.watch(kept)
		if err != nil {
			a.opts.Logger.Warn("read alert rule", "alert", kept.ID, "error", err)
			continue
		}
		rules[kept.ID] = w
		if w.operator {
			a.everyone = append(a.everyone, w)
		} else {
			tenants[kept.Tenant] = append(tenants[kept.Tenant], w)
		}
	}
	a.rules, a.tenants = rules, tenants
	return nil
}

// watch puts a rule to work, with what an unchanged one has counted.
func (a *alerts) watch(kept cellwall.AlertRule) (*watch, error) {
	operator := a.opts.Operator(kept.Tenant)
	if old := a.rules[kept.ID]; old != nil && string(old.kept.Rule) == string(kept.Rule) && old.operator == operator {
		return old, nil
	}
	rule, err := ReadRule(kept.Rule, operator)
	if err != nil {
		return nil, err
	}
	w := &watch{kept: kept, rule: rule, operator: operator, seen: newWindow(time.Duration(rule.WindowS) * time.Second)}
	if len(kept.State) > 0 {
		if err := json.Unmarshal(kept.State, &w.state); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// count has the rules that it concerns count a verdict.
func (a *alerts) count(v Verdict) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, list := range [][]*watch{a.tenants[v.Tenant], a.everyone} {
		for _, w := range list {
			if !w.rule.queue() {
				s := w.seen.at(v.At)
				s.all++
				s.hits += w.rule.hits(v)
				a.look(w, v.At)
			}
		}
	}
}

// hits is what a verdict adds to the measure.
func (r Rule) hits(v Verdict) (n float64) {
	switch r.Measure {
	case MeasureVerdicts, MeasureVerdictShare:
		if slices.Contains(r.Statuses, v.Status) || len(r.Statuses) == 0 && v.Status != cellwall.StatusOK {
			return 1
		}
	case MeasureRefusals:
		if v.Refused {
			return 1
		}
	case MeasureRefusedCalls:
		for name, calls := range v.Calls {
			if len(r.Calls) == 0 || slices.Contains(r.Calls, name) {
				n += float64(calls)
			}
		}
	}
	return n
}

// value is the measure now.
func (w *watch) value(now time.Time) float64 {
	if w.rule.queue() {
		return w.seen.most(now)
	}
	hits, all := w.seen.sum(now)
	if w.rule.Measure != MeasureVerdictShare {
		return hits
	}
	least := w.rule.Least
	if least == 0 {
		least = 10
	}
	if all < float64(least) {
		return 0
	}
	return hits / all
}

// look raises or clears the alert of a rule.
func (a *alerts) look(w *watch, now time.Time) {
	value := w.value(now)
	raised := value > w.rule.Above
	if raised == w.state.Raised {
		return
	}
	w.state = State{Raised: raised, Since: now.UTC(), Value: value}
	kind := "alert.cleared"
	if raised {
		kind = "alert.raised"
	}
	data, err := json.Marshal(map[string]any{
		"alert_id": w.kept.ID, "name": w.rule.Name, "measure": w.rule.Measure, "value": value, "above": w.rule.Above, "window_s": w.rule.WindowS,
	})
	if err == nil { // numbers that are not finite do not come here
		a.tell(cellwall.Happening{Tenant: w.kept.Tenant, At: now.UTC(), Kind: kind, Data: data})
	}
}

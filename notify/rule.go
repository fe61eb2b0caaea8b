package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
)

// Measure is what a rule counts.
type Measure string

// The measures. Those of the queue are the operator's: they are everybody's.
const (
	MeasureVerdicts     Measure = "verdicts"      // executions that ended with one of Statuses
	MeasureVerdictShare Measure = "verdict_share" // of all executions that ended, 0 to 1, from Least of them on
	MeasureRefusals     Measure = "refusals"      // executions that were refused, by policy, budget or bounds
	MeasureRefusedCalls Measure = "refused_calls" // system calls that the wall refused, of Calls when there are any
	MeasureQueueWaiting Measure = "queue_waiting" // executions in the queue, at most in the window
	MeasureQueueWait    Measure = "queue_wait_ms" // how long the wait is predicted to be, at most in the window
)

// Rule is one alert rule.
type Rule struct {
	Name     string            `json:"name" maxLength:"100" doc:"For people"`
	Measure  Measure           `json:"measure" enum:"verdicts,verdict_share,refusals,refused_calls,queue_waiting,queue_wait_ms"`
	Statuses []cellwall.Status `json:"statuses,omitempty" doc:"Of verdicts; none means all that are not ok"`
	Calls    []string          `json:"calls,omitempty" doc:"Of refused_calls; none means all"`
	Above    float64           `json:"above" minimum:"0" doc:"The alert is raised when the measure is more than this"`
	WindowS  int               `json:"window_s" minimum:"1" maximum:"86400" doc:"Seconds that are counted together"`
	Least    int               `json:"least,omitempty" minimum:"0" doc:"Executions from which on a share is looked at; 10 when left out"`
}

// State is what is known of a rule.
type State struct {
	Raised bool      `json:"raised"`
	Since  time.Time `json:"since,omitzero"`
	Value  float64   `json:"value"` // of the measure, at the last change
}

// ReadRule decodes a rule strictly. It fails with CodeBadRequest, and with
// CodeForbidden for a measure that is the operator's.
func ReadRule(raw []byte, operator bool) (Rule, error) {
	var r Rule
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Rule{}, badRule(fmt.Errorf("it is not one: %w", err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Rule{}, badRule(errors.New("something follows it"))
	}
	return r, r.Check(operator)
}

// Check refuses a rule that means nothing, as ReadRule does.
func (r Rule) Check(operator bool) error {
	known := []Measure{
		MeasureVerdicts, MeasureVerdictShare, MeasureRefusals, MeasureRefusedCalls, MeasureQueueWaiting, MeasureQueueWait,
	}
	switch {
	case !slices.Contains(known, r.Measure):
		return badRule(fmt.Errorf("%.40q is no measure; known are %v", r.Measure, known))
	case r.Name == "" || len(r.Name) > 400:
		return badRule(errors.New("it needs a name of at most 100 characters"))
	case r.Above < 0 || math.IsNaN(r.Above) || math.IsInf(r.Above, 0):
		return badRule(errors.New("above has to be a number from 0 on"))
	case r.Measure == MeasureVerdictShare && r.Above >= 1:
		return badRule(errors.New("a share is never above 1"))
	case r.WindowS < 1 || r.WindowS > 86_400:
		return badRule(errors.New("window_s has to be 1 to 86400"))
	case r.Least < 0, len(r.Statuses) > 20, len(r.Calls) > 100:
		return badRule(errors.New("least is below 0, or a list too long"))
	case r.queue() && !operator:
		return &cellwall.Error{
			Code: cellwall.CodeForbidden, Op: "read alert rule", Err: fmt.Errorf("%s is the operator's", r.Measure),
			Hint: "the queue is everybody's: count refusals instead",
		}
	}
	return nil
}

// queue reports whether the rule is about the queue.
func (r Rule) queue() bool { return r.Measure == MeasureQueueWaiting || r.Measure == MeasureQueueWait }

func badRule(cause error) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "read alert rule", Err: cause, Hint: "see the fields of a rule in /docs"}
}

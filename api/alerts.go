package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// Alerts are the rules that raise alerts. cmd joins packages notify and store to
// it.
type Alerts interface {
	// MakeAlert reads a rule strictly and keeps it, once: where one of its id stands,
	// that is given. CodeBadRequest, or CodeForbidden for what is the operator's.
	MakeAlert(ctx context.Context, tenant, id string, rule json.RawMessage) (cellwall.AlertRule, error)
	Alerts(ctx context.Context, tenant string) ([]cellwall.AlertRule, error)
	DeleteAlert(ctx context.Context, tenant, id string) error
}

func (s *Server) registerAlerts() {
	if s.opts.Alerts == nil {
		return
	}
	handle(s, "createAlert", s.createAlert, func(op *huma.Operation) { op.DefaultStatus = http.StatusCreated })
	handle(s, "listAlerts", s.listAlerts)
	handle(s, "deleteAlert", s.deleteAlert)
}

// alertBody is a rule: an alert is raised when the measure is above what it
// allows, and cleared when it is not any more.
type alertBody struct {
	Name     string   `json:"name" minLength:"1" maxLength:"100" doc:"For people"`
	Measure  string   `json:"measure" enum:"verdicts,verdict_share,refusals,refused_calls,queue_waiting,queue_wait_ms" doc:"Those of the queue are the operator's"`
	Statuses []string `json:"statuses,omitempty" maxItems:"20" nullable:"false" doc:"Of verdicts; left out: all that are not ok"`
	Calls    []string `json:"calls,omitempty" maxItems:"100" nullable:"false" doc:"Of refused_calls, by name; left out: all"`
	Above    float64  `json:"above" minimum:"0" maximum:"1000000000000"`
	WindowS  int      `json:"window_s" minimum:"1" maximum:"86400" doc:"Seconds that are counted together"`
	Least    int      `json:"least,omitempty" minimum:"0" maximum:"1000000" doc:"Of verdict_share: from how many executions on it is looked at; 10 when left out"`
}

// alertView is a rule with how it stands.
type alertView struct {
	ID        string     `json:"id"`
	Rule      alertBody  `json:"rule"`
	Raised    bool       `json:"raised"`
	Since     *time.Time `json:"since,omitempty" doc:"Of the last change"`
	CreatedAt time.Time  `json:"created_at"`
}

func viewAlert(a cellwall.AlertRule) (alertView, error) {
	v := alertView{ID: a.ID, CreatedAt: a.At.UTC()}
	if err := json.Unmarshal(a.Rule, &v.Rule); err != nil {
		return v, err
	}
	var state struct {
		Raised bool       `json:"raised"`
		Since  *time.Time `json:"since"`
	}
	if len(a.State) > 0 {
		if err := json.Unmarshal(a.State, &state); err != nil {
			return v, err
		}
	}
	v.Raised, v.Since = state.Raised, state.Since
	return v, nil
}

type (
	createAlertIn struct{ Body alertBody }
	alertIn       struct {
		ID string `path:"id" maxLength:"64"`
	}
	alertOut  struct{ Body alertView }
	alertsOut struct {
		Body struct {
			Items []alertView `json:"items"`
		}
	}
)

func (s *Server) createAlert(ctx context.Context, in *createAlertIn) (*alertOut, error) {
	rule, err := json.Marshal(in.Body)
	if err != nil {
		return nil, err
	}
	made, err := s.opts.Alerts.MakeAlert(ctx, callerOf(ctx).Tenant, newID(ctx, cellwall.PrefixAlert), rule)
	if err != nil {
		return nil, err
	}
	view, err := viewAlert(made)
	return &alertOut{view}, err
}

func (s *Server) listAlerts(ctx context.Context, _ *struct{}) (*alertsOut, error) {
	list, err := s.opts.Alerts.Alerts(ctx, callerOf(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	out := &alertsOut{}
	out.Body.Items = make([]alertView, 0, len(list))
	for _, a := range list {
		view, err := viewAlert(a)
		if err != nil {
			return nil, err
		}
		out.Body.Items = append(out.Body.Items, view)
	}
	return out, nil
}

func (s *Server) deleteAlert(ctx context.Context, in *alertIn) (*struct{}, error) {
	return nil, s.opts.Alerts.DeleteAlert(ctx, callerOf(ctx).Tenant, in.ID)
}

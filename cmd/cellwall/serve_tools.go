package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/session"
	"github.com/cellwall/cellwall/store"
	"github.com/cellwall/cellwall/tools"
)

// toolboxes are the tools of the service's sessions. What the router knows of a
// session is in the store: it outlives the service, which the interpreter does not.
type toolboxes struct {
	kept         *kept
	approvals    api.Approvals
	datasets     api.Datasets
	sessions     *session.Sessions
	work         api.Work
	sources      api.Sources
	environments *rememberedEnvironments
	schemas      *tools.Schemas
	tasks        *tools.Classifier
	sql          string // the environment of query_data
	functions    servedFunctions
	turns        *keyedTurns
	patient      time.Duration // how long a call waits for the one before it
	life         time.Duration // of a toolbox
}

var _ api.Toolboxes = (*toolboxes)(nil)

// sqlEnvironment is where SQL runs.
const sqlEnvironment = "python-query"

// toolPatience is how long a call of a tool waits for the one before it.
const toolPatience = 2 * time.Minute

// openTools makes the tools that the API and MCP give.
func (s *service) openTools(context.Context) (err error) {
	s.tools = &toolboxes{
		kept: s.kept, approvals: s.approvals(), datasets: keptDatasets{s.kept, s.house.prepared}, sessions: s.house.sessions,
		work: cutWork{s.house.controller, s.gate}, sources: s.sources, environments: s.house.environments,
		functions: servedFunctions{s.house},
		tasks:     tools.NewClassifier(), sql: sqlEnvironment, turns: newKeyedTurns(), patient: toolPatience, life: s.settings.SessionTotal,
	}
	s.tools.schemas, err = tools.Compile()
	return err
}

// addTools gives the API the tools.
func (s *service) addTools(o *api.Options) { o.Toolboxes = s.tools }

// toolPlan is on what the tools of a session work.
type toolPlan struct {
	Datasets    []string        `json:"datasets"` // ids
	Environment string          `json:"environment"`
	Backend     string          `json:"backend"`
	Profile     string          `json:"profile"`
	Language    string          `json:"language"`
	Limits      cellwall.Limits `json:"limits"`
}

// planOf is the plan of a session that has been opened.
func planOf(live session.Live) ([]byte, error) {
	if cut, ok := live.(cutLive); ok {
		live = cut.Live
	}
	opened, ok := live.(interface{ Asked() cellwall.Request })
	if !ok {
		return nil, fmt.Errorf("plan the tools of a session: it is a %T", live)
	}
	asked := opened.Asked()
	plan := toolPlan{
		Datasets: []string{}, Environment: asked.Environment, Backend: asked.Backend, Profile: asked.Profile,
		Language: asked.Language, Limits: asked.Limits,
	}
	for _, in := range asked.Datasets {
		if in.Dataset != "" {
			plan.Datasets = append(plan.Datasets, in.Dataset)
		}
	}
	return json.Marshal(plan)
}

// toolState is how far a conversation has come.
type toolState struct {
	Router tools.State     `json:"router"`
	Used   cellwall.Budget `json:"used"`
	Class  string          `json:"class,omitempty"` // of the latest failure
	Before *toolBefore     `json:"before,omitempty"`
}

// Offers implements api.Toolboxes.
func (t *toolboxes) Offers(ctx context.Context, who cellwall.Identity, id, language string) (api.ToolOffers, error) {
	box, err := t.open(ctx, who, id, language)
	if err != nil {
		return api.ToolOffers{}, err
	}
	return box.offers(), nil
}

// Call implements api.Toolboxes.
func (t *toolboxes) Call(ctx context.Context, who cellwall.Identity, c api.ToolCall) (api.ToolAnswer, error) {
	leave, err := t.turns.enter(ctx, who.Tenant+" "+c.Session, t.patient)
	if err != nil {
		return api.ToolAnswer{}, err
	}
	defer leave()
	box, err := t.open(ctx, who, c.Session, c.Language)
	if err != nil {
		return api.ToolAnswer{}, err
	}
	box.runs.asked, box.toolbox.state.Unheard = c, c.Unheard
	if a, err := box.waitsAlready(ctx); err != nil || a != nil {
		return box.waited(ctx, c, a, err)
	}
	box.begin(c)
	return box.answer(ctx, c)
}

// Asked tells the tools of a session of a question, without a call of any.
func (t *toolboxes) Asked(ctx context.Context, who cellwall.Identity, id, question string) error {
	leave, err := t.turns.enter(ctx, who.Tenant+" "+id, t.patient)
	if err != nil {
		return err
	}
	defer leave()
	box, err := t.open(ctx, who, id, "")
	if err != nil {
		return err
	}
	box.ask(question)
	return t.keep(ctx, box)
}

// open reads the toolbox of a session.
func (t *toolboxes) open(ctx context.Context, who cellwall.Identity, id, language string) (*sessionBox, error) {
	row, err := t.kept.Toolbox(ctx, who.Tenant, id)
	if err != nil {
		return nil, err
	}
	box := &sessionBox{all: t, who: who, row: row}
	if err := json.Unmarshal(row.Plan, &box.plan); err != nil {
		return nil, fmt.Errorf("read the tools of a session: %w", err)
	}
	var state toolState
	if row.State == nil {
		state.Router = begins(box.plan)
	} else if err := json.Unmarshal(row.State, &state); err != nil {
		return nil, fmt.Errorf("read the tools of a session: %w", err)
	}
	box.toolbox.state, box.toolbox.schemas = state.Router, t.schemas
	if row.Tables != nil {
		if err := json.Unmarshal(row.Tables, &box.toolbox.tables); err != nil {
			return nil, fmt.Errorf("read the tables of a session: %w", err)
		}
	}
	box.join(language, state)
	box.before = state.Before
	return box, nil
}

// begins is the state of a session in which nothing has happened. Where there are no
// data there is nothing to look at and nothing that SQL could ask.
func begins(plan toolPlan) tools.State {
	var state tools.State
	if len(plan.Datasets) == 0 {
		return state.Ran(tools.InspectData, true).Asked(tools.TaskSteps)
	}
	return state
}

// noSQL is whether query_data cannot be had: its environment is not built, is none of
// the tenant's, or there are no data.
func (t *toolboxes) noSQL(who cellwall.Identity, plan toolPlan) bool {
	if len(plan.Datasets) == 0 {
		return true
	}
	if _, err := t.environments.Open(t.sql); err != nil {
		return true
	}
	allowed := t.kept.terms(who.Tenant).Environments
	return allowed != nil && !slices.Contains(allowed, t.sql)
}

// Begin makes a toolbox without an interpreter of its own, on datasets of the caller's;
// the id is that of a session that End ends.
func (t *toolboxes) Begin(ctx context.Context, who cellwall.Identity, plan toolPlan) (string, error) {
	for _, id := range plan.Datasets {
		if _, err := t.datasets.Dataset(ctx, who.Tenant, id); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(plan)
	if err != nil {
		return "", fmt.Errorf("begin the tools of a session: %w", err)
	}
	id, now := cellwall.NewID(cellwall.PrefixSession), time.Now().UTC()
	return id, t.kept.KeepToolbox(ctx, store.Toolbox{Tenant: who.Tenant, Session: id, At: now, Until: now.Add(t.life), Plan: text})
}

// End forgets a toolbox that Begin made.
func (t *toolboxes) End(ctx context.Context, who cellwall.Identity, id string) error {
	return t.kept.DropToolbox(ctx, who.Tenant, id)
}

// keep writes how far the conversation has come.
func (t *toolboxes) keep(ctx context.Context, box *sessionBox) (err error) {
	row := box.row
	used, class := box.toolbox.meter.Row()
	state := toolState{Router: box.toolbox.state, Used: used, Class: class, Before: box.begun}
	if row.State, err = json.Marshal(state); err != nil {
		return fmt.Errorf("keep the tools of a session: %w", err)
	}
	if row.Tables == nil && box.toolbox.tables != nil {
		if row.Tables, err = json.Marshal(box.toolbox.tables); err != nil {
			return fmt.Errorf("keep the tables of a session: %w", err)
		}
	}
	return t.kept.SaveToolbox(context.WithoutCancel(ctx), row)
}

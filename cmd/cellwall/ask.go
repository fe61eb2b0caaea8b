package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/agent"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/environment"
	"github.com/cellwall/cellwall/pool"
	"github.com/cellwall/cellwall/session"
	"github.com/cellwall/cellwall/tools"
)

// askVerb is "cellwall ask".
type askVerb struct {
	Question  string   `arg:"" optional:"" name:"QUESTION" help:"What to find out; with --replay the one that was asked."`
	Data      []string `short:"d" sep:"none" placeholder:"FILE" help:"A data file; may be given more than once. The first is df."`
	FetchHost []string `placeholder:"HOST" help:"Let the model fetch data files from this host, outside of the sandbox; may be given more than once."`
	Out       string   `short:"o" placeholder:"DIR" help:"Save what was drawn and written here."`

	Model       string        `placeholder:"NAME" help:"The model, at OPENAI_BASE_URL with OPENAI_API_KEY."`
	Transcript  string        `placeholder:"FILE" help:"Write the whole conversation here, as JSON lines."`
	Replay      string        `placeholder:"FILE" help:"Take the model's words from this transcript; the calls are made anew."`
	Mask        bool          `help:"Mask phone, identity and card numbers and addresses of mail in what the model is told."`
	MaxRuns     int           `default:"12" placeholder:"N" help:"Stop after this many executions (default ${default})."`
	MaxFailures int           `default:"4" placeholder:"N" help:"Stop after this many failures in a row (default ${default})."`
	MaxSame     int           `default:"3" placeholder:"N" help:"Stop after this many failures of one class in a row (default ${default})."`
	MaxTime     time.Duration `default:"2m" placeholder:"2m" help:"Stop when executions have run this long together (default ${default})."`
	MaxTokens   int           `default:"200000" placeholder:"N" help:"Stop when the conversation has cost this many tokens (default ${default})."`

	Timeout  time.Duration `placeholder:"8s" help:"Wall clock of each program (100ms to 5m, default 8s; 1m for SQL and charts over more than 16 MiB)."`
	Memory   size          `placeholder:"512MiB" help:"Memory of each program (64MiB to 64GiB, default 512MiB; 1GiB for SQL and charts over more than 16 MiB)."`
	Env      string        `placeholder:"NAME" help:"The environment of programs and charts; by the question when left out."`
	QueryEnv string        `placeholder:"NAME" default:"python-query" help:"The environment of SQL."`
	Backend  string        `placeholder:"NAME" default:"${default_backend}" help:"The backend."`
	Profile  string        `enum:"default,strict,off" default:"default" help:"Checks before the run, and the restricted interpreter: default, strict or off. The wall is the same in all three."`
	Lang     string        `enum:"en,zh" default:"en" help:"Language of hints and of what the model is told: en or zh."`
	reviewFlags
	AllowDegraded bool `help:"Run although this host cannot enforce a protection."`
	Quiet         bool `short:"q" help:"Print the answer only."`
	JSON          bool `name:"json" help:"Print one document."`
}

// Help is the part of the help that shows how it is used.
func (*askVerb) Help() string {
	return `Examples:

  cellwall ask -d sales.csv 'Which region lost money, and why?'
  OPENAI_BASE_URL=http://localhost:11434/v1 cellwall ask --model qwen3 -d a.xlsx -o out '各区域利润'
  cellwall ask -d sales.csv --transcript t.jsonl '…' && cellwall ask -d sales.csv --replay t.jsonl

A model that speaks OpenAI's chat completions plans; its programs run in
sandboxes, within budgets. Only what the tools answer goes to the endpoint,
never a file.`
}

// Run asks.
func (v *askVerb) Run(ctx context.Context, p *program, c *config) (err error) {
	limits := cellwall.Limits{Timeout: v.Timeout, MemoryBytes: int64(v.Memory)}
	if err := checkLimits(limits, "ask"); err != nil {
		return err
	}
	model, question, err := v.model()
	if err != nil {
		return err
	}
	inputs, undo, err := openInputs(v.Data, cellwall.Limits{})
	if err != nil {
		return err
	}
	defer undo()
	v.image(p, openStore(c), question)
	req := cellwall.Request{Datasets: inputs, Environment: v.Env, Backend: v.Backend, Profile: v.Profile, Language: v.Lang, AllowDegraded: v.AllowDegraded, Limits: limits}
	h, err := p.openHouse(c, houseOptions{backend: v.Backend, environment: v.Env, degraded: v.AllowDegraded, review: v.settings(), tune: v.tune})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := p.warm(ctx, h, req, v.Quiet || v.JSON); err != nil {
		return err
	}
	if req.Functions, err = h.queryFunctions(v.QueryEnv, v.Lang); err != nil {
		return err
	}
	if !v.Quiet && !v.JSON {
		h.saySQL(p, "ask", v.QueryEnv)
	}
	box, end, err := h.openTools(req, houseTools{sql: v.QueryEnv, hosts: v.FetchHost, task: tools.NewClassifier().Classify(question)}, cellwall.Budget{
		Executions: v.MaxRuns, Failures: v.MaxFailures, SameError: v.MaxSame, Time: v.MaxTime, TokenCost: float64(v.MaxTokens),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	answer, err := agent.Ask(ctx, question, agent.Options{Model: model, Tools: box, Language: box.lang, Step: v.progress(p)})
	if err != nil {
		return err
	}
	if err := v.keep(context.WithoutCancel(ctx), h, answer); err != nil {
		return err
	}
	return v.print(p, answer)
}

// image gives the question the environment whose libraries it needs, unless one
// was named. Where that is not built, the first one has to do, and that is said.
func (v *askVerb) image(p *program, store *environment.Store, question string) {
	if v.Env != "" {
		return
	}
	v.Env = defaultEnvironment
	wanted := tools.NewClassifier().Image(question)
	if wanted == defaultEnvironment {
		return
	}
	if _, err := store.Open(wanted); err == nil {
		v.Env = wanted
	} else if !v.Quiet && !v.JSON {
		p.stderr.say(faint, "ask: ", fmt.Sprintf("%s would fit this question and is not built (cellwall env build %s); %s is taken", wanted, wanted, v.Env))
	}
}

// tune has personal data masked, if that is asked for.
func (v *askVerb) tune(ways *controller.Options, _ *session.Options, _ *pool.SetOptions) {
	if v.Mask {
		ways.Mask = maskAll
	}
}

// model is who answers: an endpoint, or a transcript.
func (v *askVerb) model() (agent.Model, string, error) {
	if v.Replay != "" {
		f, err := os.Open(v.Replay)
		if err != nil {
			return nil, "", usage("read transcript", err, "")
		}
		defer f.Close()
		t, err := agent.ReadTranscript(f)
		if err != nil {
			return nil, "", usage("replay "+v.Replay, err, "is it what --transcript wrote?")
		}
		question := v.Question
		if question == "" {
			question = t.Question()
		}
		return t.Replay(), question, nil
	}
	if v.Question == "" {
		return nil, "", usage("read command line", errors.New("there is no question"), "cellwall ask -d FILE 'QUESTION'")
	}
	m, err := agent.NewOpenAI(agent.EndpointOptions{BaseURL: os.Getenv("OPENAI_BASE_URL"), Key: os.Getenv("OPENAI_API_KEY"), Model: v.Model})
	return m, v.Question, err
}

// progress tells of each call on standard error.
func (v *askVerb) progress(p *program) func(agent.Step) {
	if v.Quiet || v.JSON {
		return nil
	}
	return func(s agent.Step) {
		how := "ok"
		if !s.Outcome.OK {
			how = "not ok"
		}
		p.stderr.say(faint, "ask: ", fmt.Sprintf("%s: %s (%s)", s.Call.Tool, shortLine(s.Call.Arguments, 100), how))
	}
}

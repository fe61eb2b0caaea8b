package agent

import (
	"context"
	"errors"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

// Ended is how a question came to its end: see the package's text.
type Ended string

// The ends.
const (
	EndedAnswered    Ended = "answered"
	EndedStopped     Ended = "stopped"
	EndedTurns       Ended = "turns"
	EndedRepeated    Ended = "repeated"
	EndedMalformed   Ended = "malformed"
	EndedSilent      Ended = "silent"
	EndedModelFailed Ended = "model_failed"
	EndedCancelled   Ended = "cancelled"
)

// Options of a question. Model and Tools are required.
type Options struct {
	Model    Model
	Tools    Toolbox
	Language tools.Language
	Turns    int // replies at most; 0 = 20
	Heard    func(text string)
	Step     func(Step) // told of each call, when it has ended
}

// Step is one call and what became of it.
type Step struct {
	Call    Call    `json:"call"`
	Outcome Outcome `json:"outcome"`
}

// Answer is what a question came to.
type Answer struct {
	Text       string              `json:"answer"`
	Ended      Ended               `json:"ended"`
	Why        string              `json:"why,omitempty"` // unless it was answered
	Stop       *cellwall.Stop      `json:"stop,omitempty"`
	Executions []string            `json:"executions"`
	Artifacts  []cellwall.Artifact `json:"artifacts"`
	Sources    []Source            `json:"sources"`
	Limits     []string            `json:"limits"` // of the data, from the observations
	Tokens     int                 `json:"tokens"`
	Transcript Transcript          `json:"-"`
}

const (
	defaultTurns  = 20
	mostSame      = 3
	mostMalformed = 3
	mostSilent    = 2
)

// asking is a question under way.
type asking struct {
	Options
	answer    Answer // its transcript holds the conversation
	printed   []printed
	last      Call
	same      int
	malformed int
	silent    int
}

// Ask answers a question. What the data are is in the toolbox; the error is ours
// alone, whatever the model does.
func Ask(ctx context.Context, question string, o Options) (*Answer, error) {
	if question == "" {
		return nil, &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "ask", Err: errors.New("there is no question")}
	}
	if o.Turns <= 0 {
		o.Turns = defaultTurns
	}
	a := &asking{Options: o}
	a.answer.Executions, a.answer.Artifacts, a.answer.Limits = []string{}, []cellwall.Artifact{}, []string{}
	a.say(Message{Role: RoleSystem, Text: o.Language.Text(system)})
	a.say(Message{Role: RoleUser, Text: question})
	err := a.loop(ctx)
	a.answer.Sources = sourcesOf(a.answer.Text, question, a.printed)
	return &a.answer, err
}

func (a *asking) loop(ctx context.Context) error {
	for range a.Turns {
		if stage := a.Tools.Stage(); stage == tools.StageStopped || stage == tools.StageWaiting {
			return a.conclude(ctx, EndedStopped, a.Language.Text(whyStopped))
		}
		reply, ok := a.complete(ctx, Asked{Messages: a.fitting(), Tools: a.offered()})
		if !ok {
			return nil
		}
		if len(reply.Calls) == 0 {
			if a.answered(reply) {
				return nil
			}
			continue
		}
		a.silent = 0
		if ended, err := a.run(ctx, reply); ended || err != nil {
			return err
		}
	}
	return a.conclude(ctx, EndedTurns, a.Language.Text(whyTurns))
}

// answered takes a reply without calls: the answer, unless it is empty.
func (a *asking) answered(reply Reply) bool {
	if reply.Text != "" {
		a.answer.Text, a.answer.Ended = reply.Text, EndedAnswered
		return true
	}
	if a.silent++; a.silent >= mostSilent {
		a.end(EndedSilent, a.Language.Text(whySilent))
		return true
	}
	a.say(Message{Role: RoleUser, Text: a.Language.Text(speak)})
	return false
}

// run makes the calls of one reply.
func (a *asking) run(ctx context.Context, reply Reply) (ended bool, err error) {
	malformed := true
	for _, call := range reply.Calls {
		if call.same(a.last) {
			a.same++
		} else {
			a.last, a.same = call, 1
		}
		if a.same >= mostSame {
			a.end(EndedRepeated, a.Language.Text(whyRepeated))
			return true, nil
		}
		outcome, err := a.Tools.Call(ctx, call.Tool, call.Arguments)
		if err != nil {
			if ctx.Err() != nil {
				a.end(EndedCancelled, a.Language.Text(whyCancelled))
				return true, nil
			}
			return true, err
		}
		malformed = malformed && outcome.Malformed
		a.took(call, outcome)
	}
	if !malformed {
		a.malformed = 0
	} else if a.malformed++; a.malformed >= mostMalformed {
		a.end(EndedMalformed, a.Language.Text(whyMalformed))
		return true, nil
	}
	return false, nil
}

// took keeps what a call came to.
func (a *asking) took(call Call, o Outcome) {
	a.say(Message{Role: RoleTool, Text: o.Text, Call: call.ID})
	a.answer.Transcript.Steps = append(a.answer.Transcript.Steps, Step{call, o})
	if o.Execution != "" {
		a.answer.Executions = append(a.answer.Executions, o.Execution)
		a.printed = append(a.printed, printed{o.Execution, o.Printed})
	}
	a.answer.Artifacts = append(append(a.answer.Artifacts, o.Artifacts...), o.Figures...)
	for _, w := range o.Warnings {
		a.limit(w)
	}
	if a.Step != nil {
		a.Step(Step{call, o})
	}
}

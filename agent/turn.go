package agent

import (
	"context"
	"slices"

	"github.com/cellwall/cellwall/tools"
)

// complete asks the model once and keeps what it says; false when that ended it.
func (a *asking) complete(ctx context.Context, asked Asked) (Reply, bool) {
	heard := a.Heard
	if heard == nil {
		heard = func(string) {}
	}
	reply, err := a.Model.Complete(ctx, asked, heard)
	switch {
	case ctx.Err() != nil:
		a.end(EndedCancelled, a.Language.Text(whyCancelled))
		return Reply{}, false
	case err != nil:
		a.end(EndedModelFailed, a.Language.Text(whyFailed)+": "+err.Error())
		return Reply{}, false
	}
	spent := reply.tokens(asked)
	a.answer.Tokens += spent
	a.Tools.Spend(spent)
	if reply.Cut && len(reply.Calls) == 0 {
		a.limit(a.Language.Text(answerCut))
	}
	reply.Role = RoleAssistant
	a.say(reply.Message)
	return reply, true
}

// conclude has the model say what it found, without tools; calls that it makes all
// the same are not made. A model that says nothing leaves our own words.
func (a *asking) conclude(ctx context.Context, ended Ended, why string) error {
	a.end(ended, why)
	a.answer.Stop = a.Tools.Stop()
	a.say(Message{Role: RoleUser, Text: why + " " + a.Language.Text(saySoFar)})
	if reply, ok := a.complete(ctx, Asked{Messages: a.fitting()}); ok {
		a.answer.Text = reply.Text
	}
	a.answer.Ended, a.answer.Why = ended, why
	return nil
}

func (a *asking) end(ended Ended, why string) { a.answer.Ended, a.answer.Why = ended, why }

func (a *asking) say(m Message) {
	a.answer.Transcript.Messages = append(a.answer.Transcript.Messages, m)
}

// limit keeps a limit of the data, each once.
func (a *asking) limit(text string) {
	if text != "" && !slices.Contains(a.answer.Limits, text) {
		a.answer.Limits = append(a.answer.Limits, text)
	}
}

// offered are the tools that may be called now.
func (a *asking) offered() (list []tools.Tool) {
	offers := a.Tools.Offers()
	for _, t := range tools.Of(a.Language, offers) {
		if slices.ContainsFunc(offers, func(o tools.Offer) bool { return o.Tool == t.Name && o.Offered }) {
			list = append(list, t)
		}
	}
	return list
}

// mostContext is how many tokens of conversation are sent.
const mostContext = 60_000

// fitting is the conversation as far as a model takes it: when it grows too long,
// of the oldest answers of tools only the fact that they were given is left, then
// of the oldest calls that they were made; the latest of both go last. The question
// stays, and every answer still has its call.
func (a *asking) fitting() []Message {
	list := slices.Clone(a.answer.Transcript.Messages)
	whole, latest := 0, 0
	for i, m := range list {
		if whole += m.size(); m.Role == RoleAssistant {
			latest = i
		}
	}
	shorten := func(of []Message, role string) {
		for i := range of {
			if whole > mostContext && of[i].Role == role {
				whole -= of[i].size()
				of[i] = of[i].shortened(a.Language.Text(leftOut))
				whole += of[i].size()
			}
		}
	}
	shorten(list[:latest], RoleTool)
	shorten(list[:latest], RoleAssistant)
	shorten(list[latest:], RoleAssistant)
	shorten(list[latest:], RoleTool)
	return list
}

// shortened is the answer of a tool without what it said, or a message of a model
// with the beginning of its text and its calls without their arguments.
func (m Message) shortened(leftOut string) Message {
	const most = 400 // characters
	if m.Role == RoleTool {
		m.Text = leftOut
	}
	if r := []rune(m.Text); len(r) > most {
		m.Text = string(r[:most]) + "…"
	}
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i].Arguments = "{}"
	}
	return m
}

package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
)

// askPatience is how long a question may wait for its answer: a person waits,
// and the state is as it was.
const askPatience = 5 * time.Second

var questions = map[cellwall.QuestionKind]string{
	cellwall.AskVariables: guest.AskVariables, cellwall.AskComplete: guest.AskComplete, cellwall.AskFinished: guest.AskFinished,
	cellwall.AskOutline: guest.AskOutline, cellwall.AskParses: guest.AskParses,
}

// Ask implements cellwall.Interpreter.
func (s *session) Ask(ctx context.Context, q cellwall.Question) (cellwall.Answer, error) {
	kind, known := questions[q.Kind]
	if !known || len(q.Text) > 4*cellwall.MaxCodeBytes || q.Cursor < 0 {
		return cellwall.Answer{}, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "ask session", Err: fmt.Errorf("no such question: %q", q.Kind),
		}
	}
	leave, err := s.enter(ctx, "ask session")
	if err != nil {
		return cellwall.Answer{}, err
	}
	defer leave()
	s.asked++
	payload, err := json.Marshal(guest.Ask{ID: s.asked, Kind: kind, Text: q.Text, Cursor: q.Cursor})
	if err != nil {
		return cellwall.Answer{}, fmt.Errorf("ask session: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	answer, err := s.ask(ctx, payload)
	if err != nil {
		return cellwall.Answer{}, &cellwall.Error{
			Code: cellwall.CodeInternal, Op: "ask session", Err: errors.Join(ctx.Err(), err),
			Hint: "an earlier cell keeps the interpreter from answering, or has ended it: run a cell",
		}
	}
	return answered(answer), nil
}

// ask sends one question and waits for its answer, past those of questions that
// were given up. What a thread of an earlier cell shows meanwhile is lost.
func (s *session) ask(ctx context.Context, payload []byte) (answer guest.Answer, err error) {
	_ = s.channel.SetDeadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { _ = s.channel.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := s.speech.say(s.channel, guest.KindAsk, payload); err != nil {
		return answer, err
	}
	from := s.speech.listen(s.channel)
	defer from.keep()
	reader := guest.NewReader(from)
	for answer.ID != s.asked {
		kind, payload, err := reader.Next()
		if err != nil {
			return answer, err
		}
		from.whole()
		if kind != guest.KindAnswer {
			continue
		}
		answer = guest.Answer{}
		if err := guest.Decode(payload, &answer); err != nil {
			return answer, err
		}
	}
	return answer, nil
}

func answered(a guest.Answer) cellwall.Answer {
	answer := cellwall.Answer{Matches: a.Matches, Start: a.Start, End: a.End, Finished: a.Finished, Indent: a.Indent, Outline: a.Outline}
	for _, v := range a.Variables {
		answer.Variables = append(answer.Variables, cellwall.Variable(v))
	}
	return answer
}

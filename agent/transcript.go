package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Transcript is the whole of a question: every message, and what the calls came
// to. It is written as JSON lines.
type Transcript struct {
	Messages []Message
	Steps    []Step
}

// transcriptLine is one line; exactly one field is there.
type transcriptLine struct {
	Message *Message `json:"message,omitempty"`
	Step    *Step    `json:"step,omitempty"`
}

// maxLine bounds a line that is read: a reply with all that it may hold, escaped.
const maxLine = 64 << 20

// Write writes the transcript.
func (t *Transcript) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range t.Messages {
		if err := e.Encode(transcriptLine{Message: &t.Messages[i]}); err != nil {
			return fmt.Errorf("write transcript: %w", err)
		}
	}
	for i := range t.Steps {
		if err := e.Encode(transcriptLine{Step: &t.Steps[i]}); err != nil {
			return fmt.Errorf("write transcript: %w", err)
		}
	}
	return nil
}

// ReadTranscript reads what Write wrote.
func ReadTranscript(r io.Reader) (*Transcript, error) {
	t := &Transcript{}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for n := 1; lines.Scan(); n++ {
		var line transcriptLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("read transcript: line %d: %w", n, err)
		}
		switch {
		case line.Message != nil:
			t.Messages = append(t.Messages, *line.Message)
		case line.Step != nil:
			t.Steps = append(t.Steps, *line.Step)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	return t, nil
}

// Question is what was asked; "" when the transcript is empty.
func (t *Transcript) Question() string {
	for _, m := range t.Messages {
		if m.Role == RoleUser {
			return m.Text
		}
	}
	return ""
}

// Replay is a model that says again what it said: the calls are made anew.
func (t *Transcript) Replay() Model {
	p := &player{}
	for _, m := range t.Messages {
		if m.Role == RoleAssistant {
			p.replies = append(p.replies, m)
		}
	}
	return p
}

// player gives replies in their order.
type player struct{ replies []Message }

func (p *player) Complete(_ context.Context, _ Asked, heard func(string)) (Reply, error) {
	if len(p.replies) == 0 {
		return Reply{}, errors.New("the transcript has no further reply")
	}
	m := p.replies[0]
	p.replies = p.replies[1:]
	heard(m.Text)
	return Reply{Message: m}, nil
}

package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cellwall/cellwall"
)

const maxReason = 300 // characters

// read reads an answer strictly: it can be a model's that a program has talked to.
func read(text, ticket string) (Opinion, error) {
	text = unfenced(strings.TrimSpace(text))
	var said struct {
		Ticket  string `json:"ticket"`
		Verdict string `json:"verdict"`
		Line    int    `json:"line"`
		Reason  string `json:"reason"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&said); err != nil {
		return Opinion{}, fmt.Errorf("it is not the object that was asked for: %s", cut(err.Error()))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Opinion{}, errors.New("there is more than one object")
	}
	switch {
	case said.Ticket != ticket:
		return Opinion{}, errors.New("its ticket is another question's")
	case said.Verdict != "pass" && said.Verdict != "refuse":
		return Opinion{}, fmt.Errorf("%q is no verdict", cut(said.Verdict))
	case said.Line < 0 || said.Line > cellwall.MaxCodeBytes+1:
		said.Line = 0
	}
	return Opinion{Refuse: said.Verdict == "refuse", Line: said.Line, Reason: cut(said.Reason)}, nil
}

// unfenced takes off one Markdown fence, which models put around JSON.
func unfenced(text string) string {
	inside, fenced := strings.CutPrefix(text, "```")
	if !fenced {
		return text
	}
	inside, closed := strings.CutSuffix(strings.TrimPrefix(inside, "json"), "```")
	if !closed {
		return text
	}
	return strings.TrimSpace(inside)
}

// cut makes one short line of a text.
func cut(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if runes := []rune(text); len(runes) > maxReason {
		return string(runes[:maxReason]) + "…"
	}
	return text
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/figure"
	"github.com/cellwall/cellwall/cmd/cellwall/lineedit"
	"github.com/cellwall/cellwall/session"
)

// typedCells are written by a person.
type typedCells struct{ editor *lineedit.Editor }

func newTyped(s *shell, c *config) (*typedCells, error) {
	history, err := lineedit.OpenHistory(c.inState("shell_history"))
	if err != nil {
		return nil, stateError(c, err)
	}
	in, ok := s.p.stdin.(*os.File)
	if !ok {
		return nil, usage("open terminal", errors.New("standard input is no file"), "run it in a terminal")
	}
	return &typedCells{lineedit.New(lineedit.Options{
		In: in, Out: s.p.stdout.file, Colors: s.p.stdout.colors, History: history,
		Complete: s.complete, Finished: s.finished,
	})}, nil
}

func (t *typedCells) read(ctx context.Context, number int, branch string) (string, error) {
	first := fmt.Sprintf("In [%d]: ", number)
	if branch != session.Main {
		first = branch + " " + first
	}
	more := strings.Repeat(" ", max(0, len([]rune(first))-5)) + "...: "
	text, err := t.editor.Read(ctx, lineedit.Prompt{First: first, More: more})
	if errors.Is(err, lineedit.ErrInterrupt) {
		return "", errLetGo
	}
	return text, err
}

// detect asks the terminal how it takes figures.
func (t *typedCells) detect(ctx context.Context) (figure.Protocol, error) {
	answer, err := t.editor.Ask(ctx, figure.Question, figure.Answer)
	return figure.Detect(answer, os.Getenv), err
}

// askTime is how long the session may take for an answer that a person waits
// for with a finger on a key.
const askTime = time.Second

// finished asks the session whether text is a whole cell. A session that cannot
// tell has it run, and the answer comes from there.
func (s *shell) finished(text string) (done bool, indent string) {
	if command(text) {
		return true, ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	a, err := s.session.Ask(ctx, cellwall.Question{Kind: cellwall.AskFinished, Text: text, Cursor: len([]rune(text))})
	if err != nil {
		return true, ""
	}
	return a.Finished, spaces(a.Indent)
}

// spaces is an indentation that a session asked for: white space, and not more
// than a screen is wide.
func spaces(indent string) string {
	if strings.Trim(indent, " \t") != "" || len(indent) > 80 {
		return ""
	}
	return indent
}

// complete asks the session how text may go on.
func (s *shell) complete(text string, cursor int) (matches []string, start, end int) {
	if command(text) {
		return s.completeCommand(text, cursor)
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	a, err := s.session.Ask(ctx, cellwall.Question{Kind: cellwall.AskComplete, Text: text, Cursor: cursor})
	if err != nil {
		return nil, 0, 0
	}
	return a.Matches, a.Start, a.End
}

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
	"github.com/cellwall/cellwall/observe"
	"github.com/cellwall/cellwall/session"
)

// obey runs a command or a cell.
func (s *shell) obey(ctx context.Context, text string) (quit bool, err error) {
	switch {
	case strings.TrimSpace(text) == "":
		return false, nil
	case command(text):
		return s.command(ctx, strings.TrimSpace(text))
	case goodbyes[strings.TrimSpace(text)]:
		return true, nil
	}
	return false, s.cell(ctx, text)
}

// goodbyes are the cells by which people leave Python's own prompt. Run, they would
// end nothing, and close the standard input of the cells behind them.
var goodbyes = map[string]bool{"exit": true, "quit": true, "exit()": true, "quit()": true}

// cell runs one cell and shows what it leaves.
func (s *shell) cell(ctx context.Context, code string) error {
	number := s.session.Info().Cells + 1
	var kept notebook.Recorder
	sink := func(ctx context.Context, e cellwall.Event) error {
		_ = kept.Sink(ctx, e) // it never fails
		if e.Kind == cellwall.EventResult && e.Rich != nil {
			s.live.flush()
			return s.value(ctx, number, *e.Rich)
		}
		return s.live.sink(ctx, e)
	}
	result, err := s.session.Cell(ctx, session.Cell{Code: code}, sink)
	s.live.flush()
	if err != nil {
		return err
	}
	if s.session.Info().Cells == number {
		s.keep(number, kept.Outputs(result, number))
	}
	if err := s.p.stdout.lost("standard output"); err != nil {
		return err
	}
	if !result.OK {
		s.failed(exitOfResult(result, false))
	}
	return s.after(ctx, result)
}

// keep keeps what a cell showed, as long as the session's history does.
func (s *shell) keep(number int, outputs []notebook.Output) {
	s.seen[number] = outputs
	for _, e := range s.session.History() {
		if !e.Outputs {
			delete(s.seen, e.Number)
		}
	}
}

// interrupt interrupts the cell that runs, if one does. The terminal has shown
// ^C.
func (s *shell) interrupt() {
	front := s.front.Load()
	if front.Info().State == session.Running {
		s.p.stdout.printf("\n")
	}
	_ = front.Interrupt() // one that is over needs none
}

// value shows a displayed value, a figure as a figure.
func (s *shell) value(ctx context.Context, number int, r cellwall.Rich) error {
	for mime, ending := range pictures {
		if content, ok := picture(r, mime); ok {
			return s.figures.show(ctx, ending, content)
		}
	}
	text := plainText(r)
	if text == "" {
		return nil
	}
	if s.p.stdout.terminal && !s.raw {
		text = observe.Terminal(text)
	}
	label := ""
	if r.IsMainResult {
		label = fmt.Sprintf("Out[%d]: ", number)
	}
	_, err := fmt.Fprintf(s.p.stdout, "%s%s\n", s.p.stdout.colored(faint, label), shortResult(text))
	return err
}

// after says how a cell ended, when that is worth a word.
func (s *shell) after(ctx context.Context, r *cellwall.Result) error {
	out := s.p.stderr
	if e := r.Error; e != nil {
		where, what := splitTraceback(e)
		if where != "" {
			out.say(plain, "", where)
		}
		out.say(red, e.Type, what)
	}
	s.p.sayFindings(r)
	if !r.OK && r.Error == nil {
		out.say(red, string(r.Status), causeOf(r))
	}
	s.p.sayMeant(r)
	if hint := r.Observation.RetryHint; hint != "" && !r.OK {
		out.say(faint, "hint: ", hint)
	}
	s.p.sayElsewhere(r)
	s.p.sayStop(r)
	label, mark := "warning: ", faint
	if r.Restored != nil { // that and what was lost is the first thing told
		label, mark = "restored: ", green
		if r.Restored.Checkpoint == "" {
			label, mark = "over: ", red
		}
	}
	for _, w := range r.Warnings {
		out.say(mark, label, w)
		label, mark = "warning: ", faint
	}
	return s.figures.artifacts(ctx, r, false)
}

// sayStop says which budget is used up.
func (p *program) sayStop(r *cellwall.Result) {
	if stop := r.Observation.Stop; stop != nil {
		p.stderr.say(red, "stopped: ", fmt.Sprintf("%s is %v of %v; %s", stop.Reason, stop.Used, stop.Limit, stop.Suggestion))
	}
}

// splitTraceback returns the frames of a traceback, and what follows the
// exception's name behind them.
func splitTraceback(e *cellwall.ExecutionError) (where, what string) {
	all := strings.TrimRight(e.Traceback, "\n")
	if at := strings.LastIndex(all, "\n"+e.Type); at >= 0 && e.Type != "" {
		return all[:at], all[at+1+len(e.Type):]
	}
	return all, ": " + e.Message
}

// causeOf says what ended a cell and when.
func causeOf(r *cellwall.Result) string {
	text := ""
	if r.Cause != cellwall.CauseNone {
		text = " (" + string(r.Cause) + ")"
	}
	if r.Status != cellwall.StatusRefused {
		text += " after " + roundedMS(r.Usage.WallMS)
	}
	return text + howMuch(r.Usage)
}

// lost says what did not come back with a state.
func (s *shell) lost(all []cellwall.Notice) {
	words := observe.Warnings(observe.Input{
		Result: &cellwall.Result{OK: true, Status: cellwall.StatusOK}, Notices: all, Language: s.language,
	})
	for _, w := range words {
		s.p.stderr.say(plain, "lost: ", w)
	}
}

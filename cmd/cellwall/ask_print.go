package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/cellwall/cellwall/agent"
)

// keep saves the artifacts and the transcript where the flags say.
func (v *askVerb) keep(ctx context.Context, h *house, a *agent.Answer) (err error) {
	for i := range a.Artifacts {
		if v.Out == "" {
			break
		}
		if a.Artifacts[i].SavedTo, err = h.artifacts.CopyTo(ctx, v.Out, a.Artifacts[i]); err != nil {
			return err
		}
	}
	if v.Transcript == "" {
		return nil
	}
	f, err := openPrivate(v.Transcript)
	if err != nil {
		return usage("write transcript", err, "")
	}
	if err := a.Transcript.Write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// openPrivate opens a file for what only its owner may read: a transcript holds
// examples of the data. One that is there already becomes so before it is written.
func openPrivate(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return f, err
	}
	return f, f.Chmod(0o600)
}

// print prints the answer, and on standard error what a reader should know of it.
func (v *askVerb) print(p *program, a *agent.Answer) error {
	if v.JSON {
		if err := p.printJSON(a); err != nil {
			return err
		}
		return status(exitOfAnswer(a))
	}
	if a.Text != "" {
		p.stdout.say(plain, "", a.Text)
	}
	if a.Why != "" {
		p.stderr.say(plain, "ended: ", a.Why)
	}
	if v.Quiet {
		return status(exitOfAnswer(a))
	}
	for _, limit := range a.Limits {
		p.stderr.say(plain, "limit: ", limit)
	}
	var loose []string
	for _, s := range a.Sources {
		if s.Given {
			p.stderr.say(faint, "source: ", s.Number+" from "+s.Execution)
		} else {
			loose = append(loose, s.Number)
		}
	}
	if len(loose) > 0 {
		p.stderr.say(plain, "no source: ", strings.Join(loose, ", ")+": no execution printed this")
	}
	for _, f := range a.Artifacts {
		p.stderr.say(plain, "artifact: ", fmt.Sprintf("%s (%s)", cmp.Or(f.SavedTo, f.Name), f.Type))
	}
	return status(exitOfAnswer(a))
}

// exitOfAnswer is 0 for an answer, 130 when it was interrupted, and else 1.
func exitOfAnswer(a *agent.Answer) int {
	switch a.Ended {
	case agent.EndedAnswered:
		return exitOK
	case agent.EndedCancelled:
		return exitInterrupted
	case agent.EndedStopped, agent.EndedTurns, agent.EndedRepeated, agent.EndedMalformed, agent.EndedSilent, agent.EndedModelFailed:
	}
	return exitNotOK
}

// shortLine is text in one line of so many characters at most.
func shortLine(text string, most int) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}

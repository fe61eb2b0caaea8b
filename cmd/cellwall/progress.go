package main

import (
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/cellwall/cellwall/environment"
)

// progress shows a build: a bar on a terminal, a line a step elsewhere.
type progress struct {
	to   *screen
	step environment.Step
	bar  *progressbar.ProgressBar
	said time.Time // when the last plain line was printed
}

// quietFor is how long a plain log stays silent within one step.
const quietFor = 10 * time.Second

func newProgress(to *screen) *progress { return &progress{to: to} }

func (p *progress) report(e environment.Event) {
	switch {
	case e.Step == environment.StepNotice || e.Step == environment.StepWait:
		p.clear()
		p.to.say(plain, "cellwall: ", e.Item)
	case p.to.terminal:
		p.draw(e)
	default:
		p.line(e)
	}
}

func (p *progress) draw(e environment.Event) {
	if p.bar == nil || p.step != e.Step {
		p.clear()
		p.step = e.Step
		total := e.Total
		if total <= 0 {
			total = -1 // a spinner
		}
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(p.to), progressbar.OptionShowBytes(inBytes(e.Step)),
			progressbar.OptionSetDescription(string(e.Step)), progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionEnableColorCodes(false),
		)
	}
	if e.Total > 0 && p.bar.GetMax64() != e.Total {
		p.bar.ChangeMax64(e.Total)
	}
	_ = p.bar.Set64(e.Done) // a screen that is gone does not stop a build
}

func (p *progress) line(e environment.Event) {
	now := time.Now()
	if p.step == e.Step && now.Sub(p.said) < quietFor {
		return
	}
	p.step, p.said = e.Step, now
	switch {
	case e.Total <= 0:
		p.to.say(plain, "cellwall: ", string(e.Step)+" "+e.Item)
	case inBytes(e.Step):
		p.to.printf("cellwall: %s %s of %s\n", e.Step, formatSize(e.Done), formatSize(e.Total))
	default:
		p.to.printf("cellwall: %s %d of %d\n", e.Step, e.Done, e.Total)
	}
}

// clear takes the bar off the screen.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

func (p *progress) finish() { p.clear() }

func inBytes(s environment.Step) bool {
	switch s {
	case environment.StepDebs, environment.StepWheels, environment.StepManifest, environment.StepPack:
		return true
	}
	return false
}

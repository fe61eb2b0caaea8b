package main

import (
	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/observe"
)

// alert says on stderr what --quiet does not keep back: a failure, that the data
// are a sample, and protections that were missing.
func (p *program) alert(r *cellwall.Result, language string) {
	if !r.OK {
		p.summarizeFailure(r)
	}
	for _, w := range sampleWarnings(r, language) {
		p.stderr.say(plain, "warning: ", w)
	}
	p.sayDegraded(r)
	if !r.OK {
		p.sayEnd(r)
	}
}

// sampleWarnings are those of tables that are not whole.
func sampleWarnings(r *cellwall.Result, language string) []string {
	return observe.Warnings(observe.Input{
		Result: &cellwall.Result{OK: true, Status: cellwall.StatusOK}, Datasets: r.Datasets, Language: language,
	})
}

// sayDegraded names the protections that were missing.
func (p *program) sayDegraded(r *cellwall.Result) {
	for _, name := range r.Boundary.Degraded {
		p.stderr.say(red, "degraded: ", name+" was not enforced")
	}
}

// sayEnd says how it ended.
func (p *program) sayEnd(r *cellwall.Result) {
	mark := green
	if !r.OK {
		mark = red
	}
	took := ""
	if r.Status != cellwall.StatusRefused { // nothing ran
		took = howLong(r.Usage)
	}
	p.stderr.say(mark, string(r.Status), took)
}

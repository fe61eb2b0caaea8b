package controller

import (
	"errors"
	"time"

	"github.com/cellwall/cellwall"
)

// Prepared knows the datasets of one backend that were parsed ahead.
type Prepared interface {
	// Choose names the template that serves spec with its inputs, "" when they
	// are to be parsed in place; why then says what kept them from being prepared,
	// nil when nothing did.
	Choose(spec cellwall.Spec) (name string, why error)
	// Parsed says how long a sandbox of spec took to parse its inputs, which stay
	// open until it returns.
	Parsed(spec cellwall.Spec, took time.Duration)
	// Lost says that there is no such template any more, although it was chosen.
	Lost(spec cellwall.Spec, name string)
}

// maxWhy bounds what a warning quotes, in bytes.
const maxWhy = 300

// template chooses the template that the sandbox comes from.
func (x *execution) template() {
	if x.spec.Template != "" || x.describe { // chosen already; who describes wants it parsed
		return
	}
	prepared := x.c.opts.Prepared[x.req.Backend]
	if prepared == nil {
		return
	}
	name, why := prepared.Choose(x.spec)
	if why != nil {
		var known *cellwall.Error
		if errors.As(why, &known) && known.Err != nil {
			why = known.Err
		}
		x.note("not_prepared", "why", cut(why.Error(), maxWhy))
	}
	x.spec.Template = name
}

// open is what a sandbox is claimed with: who comes from a template has its
// inputs already.
func (x *execution) open() cellwall.Spec {
	spec := x.spec
	if spec.Template != "" {
		spec.Inputs = nil
	}
	return spec
}

// lost has the inputs parsed in place after all, when err says that the template
// is gone.
func (x *execution) lost(err error) bool {
	name := x.spec.Template
	if name == "" || cellwall.CodeOf(err) != cellwall.CodeNotFound {
		return false
	}
	x.spec.Template = ""
	x.c.opts.Prepared[x.req.Backend].Lost(x.spec, name)
	x.note("template_lost")
	return true
}

// parsed tells how long the inputs took, from being copied on to being told of.
func (x *execution) parsed() {
	prepared := x.c.opts.Prepared[x.req.Backend]
	if prepared == nil || x.opened != nil || x.spec.Template != "" || x.seen.described.IsZero() {
		return
	}
	prepared.Parsed(x.spec, x.seen.described.Sub(x.bound))
}

// note adds a notice of our own to those of the run.
func (x *execution) note(code string, pairs ...string) {
	x.notes = append(x.notes, notice(code, pairs...))
}

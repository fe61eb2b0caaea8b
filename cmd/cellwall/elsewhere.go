package main

import (
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/environment"
	"github.com/cellwall/cellwall/observe"
)

// sayElsewhere says which environment has a module that this one has not. A model
// is not told: it chooses none.
func (p *program) sayElsewhere(r *cellwall.Result) {
	if r.Error == nil || r.Error.Type != "ModuleNotFoundError" {
		return
	}
	module, _, _ := strings.Cut(r.Error.Name, ".")
	here, _, _ := strings.Cut(r.Boundary.Environment, "@")
	if name := environmentWith(p.catalog, module, here); name != "" {
		p.stderr.say(plain, "hint: ", fmt.Sprintf("%s is in %s: cellwall env build %s, unless it is built, and --env %s", module, name, name, name))
	}
}

// environmentWith is the smallest declared environment, other than here, whose
// lock has a module; "" = none has it.
func environmentWith(c environment.Catalog, module, here string) (found string) {
	names, err := c.Names()
	if err != nil {
		return "" // env list says why
	}
	least := 0
	for _, name := range names {
		d, err := c.Load(name)
		if err != nil || name == here || !locks(d, module) {
			continue
		}
		if found == "" || len(d.PythonLock) < least {
			found, least = name, len(d.PythonLock)
		}
	}
	return found
}

// locks reports whether a declaration's lock has a module.
func locks(d environment.Declaration, module string) bool {
	for _, r := range d.PythonLock {
		if observe.Module(r.Name) == module {
			return true
		}
	}
	return false
}

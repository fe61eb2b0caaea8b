package policy

import (
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// Restriction returns what the interpreter keeps from a program while it runs, by
// the rules of its tenant that refuse: nil in every profile but strict. Source is
// not looked at.
func (c *Chain) Restriction(p Program) *cellwall.Restriction {
	if named(p.Profile) != Strict {
		return nil
	}
	return c.set(p.Tenant, Strict).restriction(p.Environment.Name)
}

func (s *Set) restriction(environment string) *cellwall.Restriction {
	r := &cellwall.Restriction{Imports: []cellwall.ImportRule{}, Builtins: map[string]string{}}
	for _, l := range s.links {
		switch {
		case !l.Refuse:
		case l.Look == LookImports, l.Look == LookImport, l.Look == LookFrom:
			r.Imports = append(r.Imports, cellwall.ImportRule{
				Modules: slices.Concat(l.For, l.Also[environment]), Others: l.Others,
				Plain: l.Look != LookFrom, From: l.Look != LookImport, Message: l.Message,
			})
		case l.Look == LookNames, l.Look == LookCalls:
			for _, name := range l.For {
				if _, known := r.Builtins[name]; !known {
					r.Builtins[name] = strings.ReplaceAll(l.Message, "{name}", name)
				}
			}
		}
	}
	return r
}

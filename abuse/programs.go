package abuse

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
)

//go:embed programs
var programs embed.FS

// Source returns the text of a program as it is run: WORLD, the prelude and the
// file itself, or Text alone.
func (p Program) Source(w World) (string, error) {
	if p.Text != nil {
		return p.Text(w), nil
	}
	return Source(p.File, w)
}

// Source returns the text of a file below programs/ behind WORLD and the
// prelude. It fails for a file that does not exist.
func Source(file string, w World) (string, error) {
	prelude, err := programs.ReadFile("programs/prelude.py")
	if err != nil {
		return "", fmt.Errorf("read prelude: %w", err)
	}
	body, err := programs.ReadFile("programs/" + file)
	if err != nil {
		return "", fmt.Errorf("read program: %w", err)
	}
	world, err := json.Marshal(w)
	if err != nil {
		return "", fmt.Errorf("write world: %w", err)
	}
	// JSON of strings and numbers is a Python literal.
	return "WORLD = " + string(world) + "\n" + string(prelude) + "\n" + string(body), nil
}

// All returns every case, in the order of the catalogue.
func All() []Case {
	var all []Case
	for _, group := range [][]Case{files(), network(), resources(), interpreter(), output(), calls()} {
		all = append(all, group...)
	}
	slices.SortStableFunc(all, func(a, b Case) int { return cmp.Compare(number(a.ID), number(b.ID)) })
	return all
}

package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/cellwall/cellwall"
)

// With returns the rules with some of an operator's own: one that has the name of one
// here takes its place, one that looks for nothing takes it away, and others come
// behind.
func (r Rules) With(own Rules) Rules {
	all := r.Clone()
	for _, o := range own.Clone() {
		at := slices.IndexFunc(all, func(one Rule) bool { return one.Name == o.Name })
		all = slices.DeleteFunc(all, func(one Rule) bool { return one.Name == o.Name })
		switch {
		case len(o.For) == 0 && !o.Others && o.Look != LookSyntax:
		case at < 0:
			all = append(all, o)
		default:
			all = slices.Insert(all, min(at, len(all)), o)
		}
	}
	return all
}

// maxRulesText bounds a tenant's own rules, in bytes.
const maxRulesText = 256 << 10

// Own are a tenant's rules, ready, by profile.
type Own map[Profile]*Set

// ReadOwn reads a tenant's own rules: a JSON object of profiles (default, strict,
// execute) to lists of [Rule], which go beside the shipped ones as [Rules.With] says.
// "" are none. It fails with CodeBadRequest.
func ReadOwn(text string) (Own, error) {
	if text == "" {
		return nil, nil
	}
	own, err := readOwn(text)
	if err != nil {
		return nil, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "read rules", Err: err,
			Hint: `write {"default": [{"name": "…", "look": "imports", "for": ["module"], "refuse": true, "message": "…"}]}; package policy has the places to look`,
		}
	}
	return own, nil
}

func readOwn(text string) (Own, error) {
	if len(text) > maxRulesText {
		return nil, fmt.Errorf("they have more than %d bytes", maxRulesText)
	}
	var lists map[Profile]Rules
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&lists); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("something comes behind them")
	}
	own := Own{}
	for p, rules := range lists {
		if !slices.Contains([]Profile{Default, Strict, Execute}, p) {
			return nil, fmt.Errorf("%q is no profile that has rules", p)
		}
		set, err := Compile(Shipped(p).With(rules))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		own[p] = set
	}
	return own, nil
}

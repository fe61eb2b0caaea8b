package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Look says where a rule looks.
type Look string

// The places, in the order in which a chain goes through them.
const (
	LookSyntax    Look = "syntax"    // the parser's error; {message}
	LookImports   Look = "imports"   // of "import m" and "from m import"; {module} dotted, {name} its first part
	LookImport    Look = "import"    // of "import m" only
	LookFrom      Look = "from"      // of "from m import" only
	LookNames     Look = "names"     // {name}; whole
	LookCalls     Look = "calls"     // {name} dotted, as it is written
	LookAttribute Look = "attribute" // {name} after a dot
	LookHidden    Look = "hidden"    // {name} within a string that escapes or + make up
	LookWhole     Look = "whole"     // {name} as the whole of such a string
	LookTerms     Look = "terms"     // {term} anywhere in the text, in any case
	LookTexts     Look = "texts"     // {term} anywhere in the text
	LookPatterns  Look = "patterns"  // {pattern} of RE2, anywhere in the text
)

var looks = []Look{LookSyntax, LookImports, LookImport, LookFrom, LookNames, LookCalls, LookAttribute, LookHidden, LookWhole, LookTerms, LookTexts, LookPatterns}

// Rule is one thing that is looked for, as data: an operator may write it.
type Rule struct {
	Name    string   `json:"name"` // as findings carry it
	Look    Look     `json:"look"`
	For     []string `json:"for,omitempty"` // modules, names, texts or patterns; a module stands for those below it
	Refuse  bool     `json:"refuse"`        // false = advice
	Message string   `json:"message"`       // with {…} as Look has them
	Instead string   `json:"instead,omitempty"`

	Others bool                `json:"others,omitempty"` // of modules: those that are not in For
	Also   map[string][]string `json:"also,omitempty"`   // further entries of For, by name of environment
	Plain  bool                `json:"plain,omitempty"`  // of Syntax: notebook commands and fences are errors too
}

// Rules are a profile's, in the order of its findings.
type Rules []Rule

// Clone returns rules that may be changed without changing these.
func (r Rules) Clone() Rules {
	own := slices.Clone(r)
	for i := range own {
		own[i].For = slices.Clone(own[i].For)
		also := map[string][]string{}
		for name, more := range own[i].Also {
			also[name] = slices.Clone(more)
		}
		own[i].Also = also
	}
	return own
}

// Bounds of rules: an operator's mistake must not slow every run.
const (
	maxRules = 100
	maxWords = 10_000 // of all rules
)

// Set is rules that are ready to be used. It does not change.
type Set struct {
	links []link
}

// link is one rule made ready.
type link struct {
	Rule
	words    map[string]bool
	also     map[string]map[string]bool
	folded   []string // of Terms
	patterns []*regexp.Regexp
}

// Compile checks rules and makes them ready.
func Compile(rules Rules) (*Set, error) {
	if len(rules) > maxRules {
		return nil, fmt.Errorf("read rules: %d are more than %d", len(rules), maxRules)
	}
	words := 0
	s := &Set{}
	for _, r := range rules {
		if words += len(r.For); words > maxWords {
			return nil, fmt.Errorf("read rules: they look for more than %d things", maxWords)
		}
		l, err := r.compile()
		if err != nil {
			return nil, fmt.Errorf("read rule %q: %w", r.Name, err)
		}
		s.links = append(s.links, l)
	}
	return s, nil
}

func (r Rule) compile() (link, error) {
	l := link{Rule: r, words: set(r.For), also: map[string]map[string]bool{}}
	for name, more := range r.Also {
		l.also[name] = set(more)
	}
	switch {
	case r.Name == "" || r.Message == "":
		return l, errors.New("it has no name or no message")
	case !slices.Contains(looks, r.Look):
		return l, fmt.Errorf("%q is no place to look", r.Look)
	case r.Others && !slices.Contains([]Look{LookImports, LookImport, LookFrom}, r.Look):
		return l, errors.New("others can be of imports only")
	case slices.Contains(r.For, ""):
		return l, errors.New("it looks for nothing")
	}
	for _, text := range r.For {
		switch r.Look {
		case LookTerms:
			l.folded = append(l.folded, strings.ToLower(text))
		case LookPatterns:
			p, err := regexp.Compile(text)
			if err != nil {
				return l, err
			}
			l.patterns = append(l.patterns, p)
		}
	}
	return l, nil
}

// plain reports whether what is no plain Python is refused by a rule: of notebook
// commands an outline tells nothing.
func (s *Set) plain() bool {
	return slices.ContainsFunc(s.links, func(l link) bool { return l.Look == LookSyntax && l.Plain && l.Refuse })
}

func set(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, one := range list {
		m[one] = true
	}
	return m
}

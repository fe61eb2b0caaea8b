package policy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// Parser reads a program by the grammar of an environment's own interpreter,
// behind a wall. An error that wraps ErrGaveUp is the program's doing; any other
// is ours. See Checkers.
type Parser interface {
	Outline(ctx context.Context, env cellwall.Environment, source string) (Outline, error)
}

// quickParser is a Parser that can say for less that a program is plain Python.
// No may be wrong, yes is what Outline would say. Checkers are one.
type quickParser interface {
	Parses(ctx context.Context, env cellwall.Environment, source string) (bool, error)
}

// ErrGaveUp is wrapped by the error of a Parser that a program brought down, or
// kept from coming to an end.
var ErrGaveUp = errors.New("the parser gave up on the program")

// Verdict is what becomes of a program.
type Verdict string

// The verdicts.
const (
	Pass   Verdict = "pass"
	Advise Verdict = "advise" // it runs, and findings say what will not work
	Refuse Verdict = "refuse" // it does not run
)

// Program is what is to be checked.
type Program struct {
	Source      string // without byte order mark
	Profile     Profile
	Tenant      string
	Environment cellwall.Environment
}

// Options wire a chain.
type Options struct {
	Parser Parser  // nil = none can be reached
	Blocks *Blocks // nil = none
	// Rules returns a tenant's own rules of a profile, nil for the shipped ones.
	Rules  func(tenant string, p Profile) *Set
	Logger *slog.Logger // nil = silent

	Reviewer   Reviewer // is asked last, in every profile but off; nil = nobody is
	Unreviewed bool     // what the reviewer did not answer about runs all the same
}

// Chain checks programs before they run. It is safe for concurrent use.
type Chain struct {
	opts    Options
	shipped map[Profile]*Set
}

// New returns a chain with the shipped rules.
func New(opts Options) (*Chain, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Chain{opts: opts, shipped: map[Profile]*Set{}}
	for _, p := range profiles {
		s, err := Compile(Shipped(p))
		if err != nil {
			return nil, fmt.Errorf("make chain: profile %s: %w", p, err)
		}
		c.shipped[p] = s
	}
	return c, nil
}

// maxFindings bounds the findings of one program.
const maxFindings = 50

// Check returns what the links object to, in their order, and the verdict. It
// fails with CodeBadRequest for a profile that is none, and when a link that
// refuses needs a parser and none can be reached: nothing may run then. A link
// that only advises is left out instead, and logged.
func (c *Chain) Check(ctx context.Context, p Program) ([]cellwall.Finding, Verdict, error) {
	profile := named(p.Profile)
	if c.shipped[profile] == nil {
		return nil, "", &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "choose profile", Err: fmt.Errorf("%q is not one", p.Profile),
			Hint: "known profiles: default, strict, off",
		}
	}
	if found := c.opts.Blocks.find(p); len(found) > 0 {
		return found, Refuse, nil
	}
	if profile == Off {
		return nil, Pass, nil
	}
	if found := unreadable(p.Source); found != nil {
		return found, Refuse, nil
	}
	found, err := c.links(ctx, c.set(p.Tenant, profile), p)
	if err != nil {
		return nil, "", err
	}
	if verdict(found) == Refuse {
		return found, Refuse, nil
	}
	said, err := c.review(ctx, p)
	if err != nil {
		return nil, "", err
	}
	found = append(found, said...)
	return found, verdict(found), nil
}

func (c *Chain) set(tenant string, p Profile) *Set {
	if c.opts.Rules != nil {
		if own := c.opts.Rules(tenant, p); own != nil {
			return own
		}
	}
	return c.shipped[p]
}

func (c *Chain) links(ctx context.Context, s *Set, p Program) ([]cellwall.Finding, error) {
	sub := &subject{text: textOf(p.Source), environment: p.Environment.Name}
	parsed, gaveUp, err := c.parse(ctx, s, sub, p.Environment)
	if err != nil {
		return nil, err
	}
	var found []cellwall.Finding
	if gaveUp != nil {
		found = append(found, *gaveUp)
	}
	for _, l := range s.links {
		if l.needsOutline() && !parsed {
			continue
		}
		found = append(found, l.find(sub)...)
		if l.Look == LookSyntax && verdict(found) == Refuse {
			break // what a broken program holds is nobody's finding
		}
	}
	return found[:min(len(found), maxFindings)], nil
}

// parse has the program read when a link needs it. What a program does to its
// parser is a finding; a parser that cannot be had is an error where something
// would be refused.
func (c *Chain) parse(ctx context.Context, s *Set, sub *subject, env cellwall.Environment) (bool, *cellwall.Finding, error) {
	wanted := slices.DeleteFunc(slices.Clone(s.links), func(l link) bool { return !l.needsOutline() || !l.mayFind(sub.source) })
	if len(wanted) == 0 {
		return false, nil, nil
	}
	refuses := slices.ContainsFunc(wanted, func(l link) bool { return l.Refuse })
	g := glanceAt(sub.text)
	shown := !slices.ContainsFunc(wanted, func(l link) bool { return !l.mindsNot(g, env.Name) })
	if shown && !refuses {
		return false, nil, nil
	}
	err := errors.New("none is wired")
	if c.opts.Parser != nil {
		sub.outline, err = c.read(ctx, env, sub.source, shown)
	}
	switch {
	case err == nil && sub.outline.Cut && refuses:
		return true, cannotRead("the program holds more names than are checked", 1), nil
	case err == nil && sub.outline.Said != "" && refuses && !s.plain():
		return true, cannotRead("the program is no plain Python: "+sub.outline.Said, sub.outline.Line), nil
	case err == nil:
		return true, nil, nil
	case errors.Is(err, ErrGaveUp) && refuses:
		return false, cannotRead("the parser gave up on the program; split what is long or deeply nested", 1), nil
	case refuses:
		return false, nil, &cellwall.Error{
			Code: cellwall.CodeProtectionMissing, Op: "check code", Err: fmt.Errorf("reach parser: %w", err),
			Hint: "nothing runs in this profile unless it was checked: cellwall doctor says what the host lacks",
		}
	}
	c.opts.Logger.WarnContext(ctx, "leave advice away", "environment", env.Name, "error", err)
	return false, nil, nil
}

// read returns an outline, an empty one where the text shows all that is in it and
// the parser takes it.
func (c *Chain) read(ctx context.Context, env cellwall.Environment, source string, shown bool) (Outline, error) {
	if quick, ok := c.opts.Parser.(quickParser); ok && shown {
		if plain, err := quick.Parses(ctx, env, source); plain || err != nil {
			return Outline{}, err
		}
	}
	return c.opts.Parser.Outline(ctx, env, source)
}

func cannotRead(message string, line int) *cellwall.Finding {
	return &cellwall.Finding{Rule: "unreadable", Line: max(line, 1), Message: message, Instead: "a shorter program of plain Python"}
}

// unreadable is the first link: text that no two readers see alike.
func unreadable(source string) []cellwall.Finding {
	f := cellwall.Finding{Line: 1}
	switch {
	case len(source) > cellwall.MaxCodeBytes && utf8.RuneCountInString(source) > cellwall.MaxCodeBytes:
		f.Rule, f.Message = "code_size", fmt.Sprintf("the code has more than %d characters", cellwall.MaxCodeBytes)
		f.Instead = "an input file for data"
	case !utf8.ValidString(source):
		f.Rule, f.Message, f.Instead = "encoding", "the code is not UTF-8", "UTF-8"
	case strings.Contains(source, "\x00"):
		f.Rule, f.Message, f.Instead = "nul_byte", "the code holds a NUL byte", "\\0 in a string"
	default:
		return nil
	}
	return []cellwall.Finding{f}
}

func verdict(found []cellwall.Finding) Verdict {
	v := Pass
	for _, f := range found {
		if !f.Advice {
			return Refuse
		}
		v = Advise
	}
	return v
}

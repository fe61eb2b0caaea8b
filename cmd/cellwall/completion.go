package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionVerb is "cellwall completion".
type completionVerb struct {
	Shell string `arg:"" enum:"bash,zsh,fish" name:"SHELL" help:"bash, zsh or fish."`
}

// Help is the part of the help that says how to install it.
func (*completionVerb) Help() string {
	return `Examples:

  source <(cellwall completion bash)
  cellwall completion zsh > "${fpath[1]}/_cellwall"
  cellwall completion fish > ~/.config/fish/completions/cellwall.fish`
}

// Run prints a script made from the very grammar that parses the command line.
func (v *completionVerb) Run(p *program, parser *kong.Kong) error {
	verbs := completions(parser.Model.Node)
	script := map[string]func([]completedVerb) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[v.Shell]
	p.stdout.printf("%s", script(verbs))
	return nil
}

// completedVerb is a verb as a shell completes it.
type completedVerb struct {
	path  string // words after cellwall, "" for cellwall itself
	help  string
	verbs []completedVerb // its own verbs
	flags []completedFlag
	words []string // what its argument may be
	files bool     // its argument is a file
}

type completedFlag struct {
	name  string // without dashes
	short string
	help  string
	value bool     // it takes one
	files bool     // which is a file
	words []string // which is one of these
}

// completions lists node and all verbs below it.
func completions(node *kong.Node) []completedVerb { return walkVerbs(node, "") }

func walkVerbs(node *kong.Node, path string) []completedVerb {
	v := completedVerb{path: path, help: firstSentence(node.Help)}
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			v.flags = append(v.flags, completedFlagOf(f))
		}
	}
	for _, arg := range node.Positional {
		v.words = append(v.words, enumOf(arg)...)
		v.files = v.files || strings.HasPrefix(arg.Name, "FILE")
	}
	var below []completedVerb
	for _, child := range node.Children {
		if child.Hidden {
			continue
		}
		list := walkVerbs(child, strings.TrimSpace(path+" "+child.Name))
		v.verbs = append(v.verbs, list[0])
		below = append(below, list...)
	}
	return append([]completedVerb{v}, below...)
}

func completedFlagOf(f *kong.Flag) completedFlag {
	c := completedFlag{name: f.Name, help: firstSentence(f.Help), value: !f.IsBool(), words: enumOf(f.Value)}
	if f.Short != 0 {
		c.short = string(f.Short)
	}
	c.files = f.PlaceHolder == "FILE" || f.PlaceHolder == "DIR"
	return c
}

func enumOf(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	words := v.EnumSlice()
	slices.Sort(words)
	return words
}

// firstSentence shortens a help text to what fits beside a completion.
func firstSentence(help string) string {
	s, _, _ := strings.Cut(help, ". ")
	s, _, _ = strings.Cut(s, " (")
	return strings.TrimSuffix(s, ".")
}

// shellWord quotes text for all three shells. No help text holds a quote that
// fish would read otherwise.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

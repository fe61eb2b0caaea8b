package main

import (
	"fmt"
	"strings"
)

// bashScript completes the words of the longest verb that is on the line.
func bashScript(verbs []completedVerb) string {
	var b strings.Builder
	b.WriteString(`# bash completion for cellwall
_cellwall() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} word verb= words= files=
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$verb $word" in
`)
	for _, v := range verbs[1:] {
		parent, name := splitVerb(v.path)
		fmt.Fprintf(&b, "      %q) verb=%q ;;\n", parent+" "+name, v.path)
	}
	b.WriteString("    esac\n  done\n  case \"$verb:$prev\" in\n")
	for _, v := range verbs {
		for _, f := range v.flags {
			if !f.value {
				continue
			}
			pattern := fmt.Sprintf("%q", v.path+":--"+f.name)
			if f.short != "" {
				pattern += fmt.Sprintf("|%q", v.path+":-"+f.short)
			}
			answer := "return"
			switch {
			case f.files:
				answer = `compopt -o default; return`
			case len(f.words) > 0:
				answer = fmt.Sprintf("COMPREPLY=($(compgen -W %q -- \"$cur\")); return", strings.Join(f.words, " "))
			}
			fmt.Fprintf(&b, "    %s) %s ;;\n", pattern, answer)
		}
	}
	b.WriteString("  esac\n  case \"$verb\" in\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "    %q) words=%q", v.path, strings.Join(append(v.next(), v.longFlags()...), " "))
		if v.files {
			b.WriteString("; files=1")
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString(`  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n $files && $cur != -* ]]; then COMPREPLY=(); compopt -o default; fi
}
complete -F _cellwall cellwall
`)
	return b.String()
}

// zshScript hands each verb's arguments to _arguments.
func zshScript(verbs []completedVerb) string {
	var b strings.Builder
	b.WriteString("#compdef cellwall\n# zsh completion for cellwall\n")
	for i := len(verbs) - 1; i >= 0; i-- {
		v := verbs[i]
		fmt.Fprintf(&b, "%s() {\n  local context state line\n  typeset -A opt_args\n  _arguments -C", zshName(v.path))
		for _, f := range v.flags {
			fmt.Fprintf(&b, " \\\n    %s", shellWord("*--"+f.name+"["+zshText(f.help)+"]"+zshValue(f)))
		}
		switch {
		case len(v.verbs) > 0:
			b.WriteString(" \\\n    '1: :->verb' '*:: :->rest'\n  case $state in\n  verb) local -a verbs; verbs=(")
			for _, c := range v.verbs {
				_, name := splitVerb(c.path)
				fmt.Fprintf(&b, " %s", shellWord(name+":"+c.help))
			}
			b.WriteString(" ); _describe verb verbs ;;\n  rest) case $line[1] in\n")
			for _, c := range v.verbs {
				_, name := splitVerb(c.path)
				fmt.Fprintf(&b, "    %s) %s ;;\n", name, zshName(c.path))
			}
			b.WriteString("    esac ;;\n  esac\n}\n")
			continue
		case v.files:
			b.WriteString(" \\\n    '1:file:_files'")
		case len(v.words) > 0:
			fmt.Fprintf(&b, " \\\n    %s", shellWord("1: :("+strings.Join(v.words, " ")+")"))
		}
		b.WriteString("\n}\n")
	}
	// Loaded from fpath, the file is the body of _cellwall at its first call.
	b.WriteString("if [[ $funcstack[1] == _cellwall ]]; then _cellwall \"$@\"; else compdef _cellwall cellwall; fi\n")
	return b.String()
}

func zshName(path string) string {
	return strings.TrimSuffix("_cellwall_"+strings.ReplaceAll(path, " ", "_"), "_")
}

func zshText(s string) string { return strings.NewReplacer("[", "(", "]", ")", ":", "\\:").Replace(s) }

func zshValue(f completedFlag) string {
	switch {
	case !f.value:
		return ""
	case f.files:
		return ":file:_files"
	case len(f.words) > 0:
		return ": :(" + strings.Join(f.words, " ") + ")"
	}
	return ":value: "
}

// fishScript says for each verb what may follow it.
func fishScript(verbs []completedVerb) string {
	var b strings.Builder
	b.WriteString("# fish completion for cellwall\ncomplete -c cellwall -f\n")
	for _, v := range verbs {
		when := fishCondition(v)
		for _, c := range v.verbs {
			_, name := splitVerb(c.path)
			fmt.Fprintf(&b, "complete -c cellwall -n %s -a %s -d %s\n", shellWord(when), name, shellWord(c.help))
		}
		for _, w := range v.words {
			fmt.Fprintf(&b, "complete -c cellwall -n %s -a %s\n", shellWord(when), w)
		}
		if v.files {
			fmt.Fprintf(&b, "complete -c cellwall -n %s -F\n", shellWord(when))
		}
		for _, f := range v.flags {
			fmt.Fprintf(&b, "complete -c cellwall -n %s -l %s", shellWord(when), f.name)
			if f.short != "" {
				fmt.Fprintf(&b, " -s %s", f.short)
			}
			switch {
			case f.files:
				b.WriteString(" -r -F")
			case len(f.words) > 0:
				fmt.Fprintf(&b, " -x -a %s", shellWord(strings.Join(f.words, " ")))
			case f.value:
				b.WriteString(" -x")
			}
			fmt.Fprintf(&b, " -d %s\n", shellWord(f.help))
		}
	}
	return b.String()
}

// fishCondition holds where v's words belong: all of its own verbs are on the
// line, and none of those below it.
func fishCondition(v completedVerb) string {
	if v.path == "" {
		return "__fish_use_subcommand"
	}
	var parts []string
	for _, word := range strings.Fields(v.path) {
		parts = append(parts, "__fish_seen_subcommand_from "+word)
	}
	if next := v.next(); len(v.verbs) > 0 {
		parts = append(parts, "not __fish_seen_subcommand_from "+strings.Join(next, " "))
	}
	return strings.Join(parts, "; and ")
}

// next lists the words that may follow v, flags aside.
func (v completedVerb) next() []string {
	words := append([]string(nil), v.words...)
	for _, c := range v.verbs {
		_, name := splitVerb(c.path)
		words = append(words, name)
	}
	return words
}

func (v completedVerb) longFlags() []string {
	var flags []string
	for _, f := range v.flags {
		flags = append(flags, "--"+f.name)
	}
	return flags
}

// splitVerb takes the last word off a path.
func splitVerb(path string) (parent, name string) {
	if i := strings.LastIndexByte(path, ' '); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/observe"
	"github.com/cellwall/cellwall/session"
)

// command reports whether a text is a command and no cell: no Python begins
// with a colon.
func command(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " \t"), ":") }

// shellCommand is one command.
type shellCommand struct {
	name, arg, help string
	run             func(s *shell, ctx context.Context, arg string) error
}

// shellCommands are all of them, in the order in which help lists them.
func shellCommands() []shellCommand {
	return []shellCommand{
		{":undo", "", "take back the latest cell, variables and files together", (*shell).undo},
		{":branch", "[NAME]", "go on under a name, or go to that branch; alone it lists them", (*shell).branch},
		{":fork", "[NAME]", "go on in a sandbox of its own that has everything of this one, or go to that fork; alone it lists them", (*shell).fork},
		{":vars", "", "list the variables", (*shell).vars},
		{":files", "", "list the files in the working directory", (*shell).listFiles},
		{":save", "FILE", "save the cells that led here: .ipynb with outputs, .py without", (*shell).save},
		{":save!", "FILE", "the same in the place of a file that is there", (*shell).saveOver},
		{":help", "", "list the commands", (*shell).help},
		{":quit", "", "leave, as Ctrl-D does", nil},
	}
}

// command runs a command.
func (s *shell) command(ctx context.Context, text string) (quit bool, err error) {
	name, arg, _ := strings.Cut(text, " ")
	for _, c := range shellCommands() {
		if c.name != name {
			continue
		}
		arg = strings.TrimSpace(arg)
		switch {
		case c.run == nil:
			return true, nil
		case c.arg == "" && arg != "":
			return false, usage("read command", fmt.Errorf("%s takes nothing behind it", name), ":help lists the commands")
		}
		return false, c.run(s, ctx, arg)
	}
	return false, usage("read command", fmt.Errorf("there is no %.40q", name), ":help lists the commands")
}

// completeCommand completes a command's name, or a branch.
func (s *shell) completeCommand(text string, cursor int) (matches []string, start, end int) {
	before := string([]rune(text)[:cursor])
	name, arg, spaced := strings.Cut(before, " ")
	var all []string
	switch {
	case spaced && name == ":branch":
		all, start, before = s.session.Info().Branches, cursor-len([]rune(arg)), arg
	case spaced && name == ":fork":
		for _, f := range s.forks {
			all = append(all, f.name)
		}
		start, before = cursor-len([]rune(arg)), arg
	case !spaced:
		for _, c := range shellCommands() {
			all = append(all, c.name)
		}
	}
	for _, m := range all {
		if strings.HasPrefix(m, before) {
			matches = append(matches, m)
		}
	}
	return matches, start, cursor
}

func (s *shell) undo(ctx context.Context, _ string) error {
	back, err := s.session.Undo(ctx)
	if err != nil {
		return err
	}
	text := "the state from before the latest cell is back, files too"
	if !back.Files {
		text = "the variables from before the latest cell are back; files stay as they are"
	}
	s.p.stderr.say(green, "undone: ", text)
	s.lost(back.Lost)
	return nil
}

func (s *shell) branch(ctx context.Context, name string) error {
	if name == "" {
		info := s.session.Info()
		for _, b := range info.Branches {
			mark := "  "
			if b == info.Branch {
				mark = "* "
			}
			s.tell(mark + b)
		}
		return nil
	}
	b, err := s.session.Branch(ctx, name)
	if err != nil {
		return err
	}
	switch {
	case b.New:
		s.p.stderr.say(green, "branch: ", name+" begins here")
	case b.Restored == nil:
		s.p.stderr.say(plain, "branch: ", "this is "+name)
	default:
		s.p.stderr.say(green, "branch: ", name+" is back where it was left")
		s.lost(b.Restored.Lost)
	}
	if b.Unkept > 0 {
		s.p.stderr.say(red, "branch: ", fmt.Sprintf("the last %d cells of the one that was left had no checkpoint and are lost", b.Unkept))
	}
	return nil
}

func (s *shell) vars(ctx context.Context, _ string) error {
	a, err := s.session.Ask(ctx, cellwall.Question{Kind: cellwall.AskVariables})
	if err != nil {
		return err
	}
	s.tell(columns(func(w io.Writer) {
		fmt.Fprintln(w, "NAME\tTYPE\tSHAPE\tSIZE")
		for _, v := range a.Variables {
			bytes := ""
			if v.Bytes > 0 {
				bytes = formatSize(v.Bytes)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", oneLine(v.Name), oneLine(v.Type), oneLine(v.Shape), bytes)
		}
	}))
	return nil
}

// listFiles lists what lies in the working directory. All of it is a stranger's
// text.
func (s *shell) listFiles(ctx context.Context, _ string) error {
	files, more, err := s.session.Files(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b session.File) int { return strings.Compare(a.Name, b.Name) })
	text := columns(func(w io.Writer) {
		fmt.Fprintln(w, "NAME\tSIZE\tMODIFIED")
		for _, f := range files {
			name := oneLine(f.Name)
			if f.Mode.IsDir() {
				name += "/"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\n", name, formatSize(f.Bytes), f.Modified.Local().Format("15:04:05"))
		}
	})
	if more {
		text += "… and more\n"
	}
	s.tell(text)
	return nil
}

func (s *shell) help(context.Context, string) error {
	s.tell(columns(func(w io.Writer) {
		for _, c := range shellCommands() {
			fmt.Fprintf(w, "%s\t%s\n", strings.TrimSpace(c.name+" "+c.arg), c.help)
		}
	}))
	return nil
}

// columns lines up what write separates by tabs.
func columns(write func(w io.Writer)) string {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	write(tw)
	tw.Flush() // writes to memory
	return b.String()
}

// tell prints an answer to a command, a stranger's text perhaps.
func (s *shell) tell(text string) {
	if s.p.stdout.terminal {
		text = observe.Terminal(text)
	}
	s.p.stdout.printf("%s\n", strings.TrimRight(text, "\n"))
}

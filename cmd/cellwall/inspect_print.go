package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/observe"
)

// printDataset prints a description for a person. All of it is a stranger's
// text.
func (p *program) printDataset(d cellwall.Dataset) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %s\n", d.Name, d.Format, formatSize(d.Bytes), rows(d.Rows, d.RowsGiven))
	facts := []string{}
	fact := func(name, value string) {
		if value != "" {
			facts = append(facts, name+" "+value)
		}
	}
	fact("encoding", d.Encoding)
	fact("delimiter", quoted(d.Delimiter))
	fact("decimal mark", quoted(d.Decimal))
	fact("thousands", quoted(d.Thousands))
	fact("sheets", strings.Join(d.Sheets, ", "))
	if d.HeaderRow > 1 {
		fact("header in row", fmt.Sprint(d.HeaderRow))
	}
	if len(facts) > 0 {
		fmt.Fprintln(&b, strings.Join(facts, " · "))
	}
	printColumns(&b, d.Columns)
	for _, t := range d.Tables {
		fmt.Fprintf(&b, "\n%s: %s\n", t.Name, rows(t.Rows, t.RowsGiven))
		printColumns(&b, t.Columns)
	}
	text := b.String()
	if p.stdout.terminal {
		text = observe.Terminal(text)
	}
	p.stdout.printf("%s", text)
	for _, w := range d.Warnings {
		p.stderr.say(plain, "warning: ", w)
	}
}

func printColumns(w io.Writer, columns []cellwall.Column) {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "COLUMN\tTYPE\tMISSING\tEXAMPLES")
	for _, c := range columns {
		kind := c.DType
		if c.Kind != "" {
			kind += " (" + c.Kind + ")"
		}
		fmt.Fprintf(tw, "%s\t%s\t%d\t%s\n", oneLine(c.Name), kind, c.Missing, oneLine(strings.Join(c.Examples, ", ")))
	}
	tw.Flush() // writes to memory
}

// oneLine keeps a cell in its row and its column.
func oneLine(s string) string {
	return cutLine(s, 60)
}

// cutLine is a text in one line of at most n characters.
func cutLine(s string, n int) string {
	s = strings.NewReplacer("\n", "⏎", "\t", " ", "\r", "").Replace(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf("%q", s)
}

func rows(all, given int64) string {
	if given < all {
		return fmt.Sprintf("%d rows (a program gets %d of them)", all, given)
	}
	return fmt.Sprintf("%d rows", all)
}

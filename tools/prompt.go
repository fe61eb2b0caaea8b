package tools

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// PromptName is what MCP calls the prompt, by which a user begins anew.
const PromptName = "analyse_data"

// Prompt is what a model is told before it writes a program for some datasets.
type Prompt struct {
	Datasets []cellwall.Dataset // the first one is df
	Packages []cellwall.Package // of the environment
	Timeout  time.Duration      // of a program
	Memory   int64              // bytes
	Language Language
	Question string                   // what the user wants to know; "" = it is asked elsewhere
	Budget   int                      // tokens; 0 = 2,000
	Mask     func(text string) string // of examples; nil = as they are
}

// defaultBudget is about what fifty columns with examples need.
const defaultBudget = 2000

// named are the libraries that a prompt names, in this order, if they are there.
var named = []string{"pandas", "numpy", "matplotlib", "scipy", "statsmodels", "scikit-learn", "seaborn", "openpyxl", "pyarrow"}

// complexRows is from how many rows on a model is told to take fewer for what
// grows faster than they do.
const complexRows = 10_000

// Text is the prompt. What does not fit into the budget is left out, first the
// examples, then the last columns of wide tables, and the prompt says so. Names
// and examples come from a file that somebody uploaded: they stand in quotation
// marks as JSON, on lines of their own, and the prompt says what they are.
func (p *Prompt) Text() string {
	budget := p.Budget
	if budget == 0 {
		budget = defaultBudget
	}
	text := ""
	for _, d := range details {
		if text = p.text(d); Tokens(text) <= budget {
			break
		}
	}
	return text
}

// detail is how much is told: of each column, of each table, and of how many
// tables.
type detail struct{ examples, columns, tables int }

// details go from all that is worth telling to the least of use.
var details = []detail{
	{3, 1000, 100}, {1, 1000, 100}, {0, 1000, 100}, {0, 100, 100}, {0, 30, 100}, {0, 10, 100}, {0, 3, 100}, {0, 3, 10}, {0, 3, 3}, {0, 3, 1},
}

func (p *Prompt) text(d detail) string {
	l := p.Language
	lines := []string{
		l.Text(promptTask),
		"",
		l.Text(promptRules),
		"- " + l.Text(promptLibraries, "list", l.list(p.libraries())),
		"- " + l.Text(promptClosed),
		"- " + l.Text(promptData),
		"- " + l.Text(promptLimits, "seconds", fmt.Sprint(int(p.Timeout.Seconds())), "mib", fmt.Sprint(p.Memory>>20)),
		"- " + l.Text(promptSave),
		"- " + l.Text(promptPrint),
		"",
		l.Text(promptQuoted),
	}
	lines = append(lines, p.tables(d)...)
	if p.Question != "" {
		lines = append(lines, "", l.Text(promptQuestion, "question", cut(p.Question, 2000)))
	}
	if most := p.most(); most > complexRows {
		lines = append(lines, "", l.Text(promptSuffix, "rows", fmt.Sprint(most), "seconds", fmt.Sprint(int(p.Timeout.Seconds()))))
	}
	return strings.Join(lines, "\n") + "\n"
}

// tables describes what there is, df first.
func (p *Prompt) tables(d detail) (lines []string) {
	told := 0
	tell := func(as, name string, rows, given int64, columns []cellwall.Column, sample string) {
		if told++; told <= d.tables {
			lines = append(lines, p.table(as, name, rows, given, columns, sample, d)...)
		}
	}
	for i, ds := range p.Datasets {
		as := "df"
		if i > 0 {
			as = "dfs[" + quoted(stem(ds.Name)) + "]"
		}
		tell(as, ds.Name, ds.Rows, ds.RowsGiven, ds.Columns, ds.Sample)
		for _, t := range ds.Tables {
			tell("dfs["+quoted(t.Name)+"]", t.Name, t.Rows, t.RowsGiven, t.Columns, ds.Sample)
		}
	}
	if told > d.tables {
		lines = append(lines, p.Language.Text(promptTables, "n", fmt.Sprint(told-d.tables)))
	}
	return lines
}

// libraries are the packages worth naming, with their versions.
func (p *Prompt) libraries() (list []string) {
	for _, name := range named {
		if i := slices.IndexFunc(p.Packages, func(k cellwall.Package) bool { return strings.EqualFold(k.Name, name) }); i >= 0 {
			list = append(list, name+" "+p.Packages[i].Version)
		}
	}
	return list
}

// most is how many rows the longest table has.
func (p *Prompt) most() (rows int64) {
	for _, ds := range p.Datasets {
		rows = max(rows, ds.Rows)
		for _, t := range ds.Tables {
			rows = max(rows, t.Rows)
		}
	}
	return rows
}

// table describes one, as lines.
func (p *Prompt) table(as, name string, rows, given int64, columns []cellwall.Column, sample string, d detail) []string {
	l := p.Language
	head := l.Text(promptTable, "as", as, "name", quoted(name), "rows", fmt.Sprint(rows))
	if given < rows {
		head += l.Text(promptSample, "given", fmt.Sprint(given), "how", bare(sample))
	}
	lines := []string{head + l.Text(promptColon)}
	for k, c := range columns {
		if k == d.columns {
			return append(lines, "  "+l.Text(promptMore, "n", fmt.Sprint(len(columns)-k)))
		}
		lines = append(lines, "  "+p.column(c, d.examples))
	}
	return lines
}

func (p *Prompt) column(c cellwall.Column, examples int) string {
	line := quoted(c.Name) + " " + bare(c.DType)
	if c.Kind != "" {
		line += " (" + bare(c.Kind) + ")"
	}
	if c.Missing > 0 {
		line += ", " + p.Language.Text(promptMissing, "n", fmt.Sprint(c.Missing))
	}
	if n := min(examples, len(c.Examples)); n > 0 {
		shown := make([]string, n)
		for i, e := range c.Examples[:n] {
			if p.Mask != nil {
				e = p.Mask(e)
			}
			shown[i] = quoted(cut(e, 40))
		}
		line += ": " + strings.Join(shown, ", ")
	}
	return line
}

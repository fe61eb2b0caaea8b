package observe

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// tables returns what the code could see: the tables alive when it failed,
// else those of the datasets.
func (o *observer) tables() []cellwall.TableInScope {
	if len(o.in.Tables) > 0 {
		return o.in.Tables
	}
	var all []cellwall.TableInScope
	for i, d := range o.in.Datasets {
		name := "df"
		if i > 0 {
			name = stem(d.Name)
		}
		all = append(all, described(name, d.Columns, d.RowsGiven))
		for _, t := range d.Tables {
			all = append(all, described(t.Name, t.Columns, t.RowsGiven))
		}
	}
	return all
}

func described(name string, columns []cellwall.Column, rows int64) cellwall.TableInScope {
	t := cellwall.TableInScope{Name: name, Rows: rows}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Name)
		t.DTypes = append(t.DTypes, c.DType)
	}
	return t
}

// meant returns the table that the failing code most likely meant: one whose
// variable stands on the failing line, best right before the missing name;
// then one with a similar column; then df; then the first.
// Without any table it is the zero value.
func (o *observer) meant(f fault) cellwall.TableInScope {
	tables := o.tables()
	if len(tables) == 0 {
		return cellwall.TableInScope{}
	}
	best, most := 0, -1
	for i, t := range tables {
		points := 0
		if at := word(f.line, t.Name); at >= 0 {
			points += 8
			if f.name != "" && reaches(f.line[at+len(t.Name):], f.name) {
				points += 4
			}
		}
		if f.name != "" && len(closest(f.name, t.Columns)) > 0 {
			points += 3
		}
		if t.Name == "df" {
			points += 2
		}
		if points > most {
			best, most = i, points
		}
	}
	return tables[best]
}

// reaches reports whether code goes right on to name: [ "name", .name.
func reaches(code, name string) bool {
	code = strings.TrimLeft(code, `.[("' `)
	return strings.HasPrefix(code, name)
}

// word returns where name stands in code as a word of its own, or -1.
func word(code, name string) int {
	if name == "" {
		return -1
	}
	for from := 0; ; {
		i := strings.Index(code[from:], name)
		if i < 0 {
			return -1
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(code[:at])
		after, _ := utf8.DecodeRuneInString(code[at+len(name):])
		if !identifier(before) && before != '.' && !identifier(after) {
			return at
		}
		from = at + len(name)
	}
}

func identifier(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func (o *observer) tableOn(line string) bool {
	for _, t := range o.tables() {
		if word(line, t.Name) >= 0 {
			return true
		}
	}
	return false
}

// columnNames lists the columns of the table that was meant, then those of the
// others.
func (o *observer) columnNames(f fault) []string {
	meant := f.table.Columns
	names := meant[:len(meant):len(meant)]
	for _, t := range o.tables() {
		if t.Name != f.table.Name && len(names) < maxCandidates {
			names = append(names, t.Columns...)
		}
	}
	return names
}

// stem is the name of a file without its endings, as dfs has it.
func stem(name string) string {
	name = path.Base(name)
	if ext := path.Ext(name); strings.EqualFold(ext, ".gz") {
		name = strings.TrimSuffix(name, ext)
	}
	return strings.TrimSuffix(name, path.Ext(name))
}

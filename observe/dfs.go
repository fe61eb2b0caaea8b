package observe

import (
	"slices"
	"strconv"
	"strings"
)

// keys are those of dfs, twins numbered as the driver does.
func (o *observer) keys() []string {
	var names []string
	add := func(name string) {
		first, sheet, _ := strings.Cut(name, "/")
		if sheet != "" {
			sheet = "/" + sheet
		}
		for n := 2; slices.Contains(names, name) && n <= len(names)+1; n++ {
			name = first + "_" + strconv.Itoa(n) + sheet
		}
		names = append(names, name)
	}
	if o.in.Datasets == nil { // not described
		for _, name := range o.in.Inputs {
			add(stem(name))
		}
	}
	for _, d := range o.in.Datasets {
		add(stem(d.Name))
		for _, t := range d.Tables {
			add(t.Name)
		}
	}
	return names
}

// wantsTable reports whether a missing key is one of dfs: it stands on the failing line
// right behind it, or is in a variable and no column.
func (o *observer) wantsTable(f fault) bool {
	at := word(f.line, "dfs")
	if at < 0 {
		return false
	}
	key, ok := strings.CutPrefix(f.line[at+len("dfs"):], "[")
	if !ok {
		return false
	}
	if key = strings.TrimSpace(key); key != "" && strings.Contains(`"'`, key[:1]) {
		literal, _, _ := strings.Cut(key[1:], key[:1])
		return literal == f.name
	}
	return len(closest(f.name, o.keys())) > 0 || len(closest(f.name, f.columns)) == 0
}

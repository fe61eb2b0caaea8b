package observe

import "unicode/utf8"

// inputList names the real input files, "" when there are none.
func (o *observer) inputList() string {
	paths := make([]string, 0, len(o.in.Inputs))
	for _, n := range o.in.Inputs {
		paths = append(paths, inputPath(n))
	}
	return o.names(paths, 5)
}

// keyList names the keys of dfs, "" when it is empty.
func (o *observer) keyList() string { return o.names(o.keys(), 10) }

// names lists names out of a file in quotation marks, at most n and as many as fit
// into a sentence: one that is cut would open a quotation and not close it.
func (o *observer) names(all []string, n int) string {
	var fit []string
	room := maxArgument - 10 // for what says that there are more
	for _, name := range all {
		one := quoted(o.name(name))
		if room -= utf8.RuneCountInString(one) + 2; room < 0 || len(fit) == n {
			return o.list(append(fit, ""), len(fit))
		}
		fit = append(fit, one)
	}
	return o.list(fit, n)
}

package policy

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The two shapes of a plain import, as they are meant.
var (
	importLine = regexp.MustCompile(`^[ \t\f]*import[ \t\f]+([A-Za-z_][\w.]*(?:[ \t\f]+as[ \t\f]+\w+)?(?:[ \t\f]*,[ \t\f]*[A-Za-z_][\w.]*(?:[ \t\f]+as[ \t\f]+\w+)?)*)[ \t\f]*(?:#.*)?$`)
	fromLine   = regexp.MustCompile(`^[ \t\f]*from[ \t\f]+([A-Za-z_][\w.]*)[ \t\f]+import[ \t\f(*]`)
)

func importedByPattern(line string) (modules []Import, plain bool) {
	if m := importLine.FindStringSubmatch(line); m != nil {
		for one := range strings.SplitSeq(m[1], ",") {
			modules = append(modules, Import{Module: strings.Fields(one)[0]})
		}
		return modules, true
	}
	m := fromLine.FindStringSubmatch(line)
	if m == nil || strings.Contains(line, ";") {
		return nil, false
	}
	return []Import{{Module: m[1], From: true}}, true
}

func FuzzImportedIsAsItsPatternsSay(f *testing.F) {
	for _, line := range []string{
		"import os", "import a.b as c , _d # e; f", "\timport\fa,b", "import a as b as c", "import a,", "import", "import 1a", "import .a",
		"import é", "import a; b", "import a as é", "importa", "import a # from b import c", "import a asb", "import as as as", "import a\vb",
		"from a.b import c", "from a import(c)", "from a import*", "from  a\timport c; d", "from . import a", "from a importb", "from a import",
		"from a", "from import import a", "fromage import a", "x = 'import a'", " from a import b # c", "from#a import b", "import#a", "import a\x00",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") {
			return // lines have no end
		}
		got, plain := imported(line)
		want, wanted := importedByPattern(line)
		if plain != wanted || plain && !slices.Equal(got, want) {
			t.Errorf("%q: %v %v, want %v %v", line, got, plain, want, wanted)
		}
	})
}

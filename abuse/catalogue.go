package abuse

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Home is whose promise a row is.
type Home string

// The homes. What belongs to policy is held by the controller, for everyone.
const (
	HomeWall       Home = "wall"       // the backend, the driver behind it, the environment
	HomeController Home = "controller" // admission, verdict, output, harvest, observation
)

// End is how an attempt may end, in the words of the catalogue.
type End string

// The ends.
const (
	Blocked  End = "blocked"  // an errno or an exception in the run, which goes on
	Killed   End = "killed"   // the run ends, the cause is named
	Cut      End = "cut"      // so many bytes are kept, and that is told
	Rejected End = "rejected" // no code runs, the reason is told
	Skipped  End = "skipped"  // that file is refused with a reason, others are kept
	Inert    End = "inert"    // allowed, and without effect outside of this run
	Told     End = "told"     // it happens, and is told as what it is
	Promised End = "stated"   // not promised, see NotPromised
)

// Row is one row of the catalogue. It has one [Case], or one [Stated].
type Row struct {
	ID   string
	Home Home
	Ends []End // any of these is right
	Star bool  // one of those that matter most: each kind of machine and of user meets it in the fast tier
}

// starred are the numbers of the rows with a star.
const starred = `1 2 3 4 5 8 11 15 17 18 20 21 22 24 25 27 30 34 35 36 38 39 40 41 43 44 45 46 52 53 54 55 61 62 65 66 67 68 71 72
	75 82 84 85 88 89 90 91 92 93 94 95 96 97 98 99 100 107 108 111 112 113 114 116 117 121 123`

// Catalogue returns the rows in their order.
func Catalogue() []Row {
	var all []Row
	stars := strings.Fields(starred)
	for _, g := range []struct {
		home Home
		ends []End
		ids  string
	}{
		{HomeWall, []End{Blocked}, `F1 F2 F3 F6 F7 F8 F9 F10 F11 F13 F14 F24 F31 F32 N34 N35 N36 N37 N38 N39 N40 N41 N42 N43 N44 N45
			N46 N47 N48 N51 R68 R70 R71 R72 R73 R78 D82 D89 D103`},
		{HomeWall, []End{Inert}, `F4 F5 F12 F28 F29 F30 F33 N50 R56 R58 R59 R67 R74 D84 D85 D86 D87 D90 D91 D92 D93 D105 D106`},
		{HomeWall, []End{Killed}, "R54 R55 R61 R62 R63 R65 R66 R79 R80"},
		{HomeWall, []End{Blocked, Killed}, "F27 R52 R53 R60"},
		{HomeWall, []End{Blocked, Inert}, "R57 R69"},
		{HomeWall, []End{Killed, Told}, "R64 R75 R76"},
		{HomeWall, []End{Rejected}, "D97 D102"},
		{HomeWall, []End{Promised}, "R81"},
		{HomeController, []End{Skipped}, "F15 F16 F17 F19 F20 F21 F22 F23 F25 F26 D96 O116 O119 O124"},
		{HomeController, []End{Inert}, "F18 D88 O109 O110 O113 O117 O118 O120"},
		{HomeController, []End{Rejected}, "D98 D99 D100"},
		{HomeController, []End{Told}, "N49 R77 D83 D94 D95 D126 D101 D104 O111 O112 O114 O121 O123"},
		{HomeController, []End{Cut, Killed}, "O107 O108"},
		{HomeController, []End{Cut, Told}, "O115"},
		{HomeController, []End{Blocked}, "O122"},
		{HomeController, []End{Killed}, "O125"},
	} {
		for id := range strings.FieldsSeq(g.ids) {
			star := slices.Contains(stars, strconv.Itoa(number(id)))
			all = append(all, Row{ID: id, Home: g.home, Ends: g.ends, Star: star})
		}
	}
	slices.SortStableFunc(all, func(a, b Row) int { return cmp.Compare(number(a.ID), number(b.ID)) })
	return all
}

// Starred are the cases of the rows with a star, in the order of the catalogue.
func Starred() []Case {
	star := make(map[string]bool)
	for _, r := range Catalogue() {
		star[r.ID] = r.Star
	}
	return slices.DeleteFunc(All(), func(c Case) bool { return !star[c.ID] })
}

// number is a row's place in the catalogue, 0 = none.
func number(id string) int {
	n, err := strconv.Atoi(strings.TrimLeft(id, "FNRDO"))
	if err != nil {
		return 0
	}
	return n
}

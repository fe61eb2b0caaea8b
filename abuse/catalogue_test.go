package abuse

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

var update = flag.Bool("update", false, "write the table of rows into docs/THREATS.md")

const (
	rowsInCatalogue = 126
	threats         = "../docs/THREATS.md"
)

// rowID is the name that the nth row has.
func rowID(n int) string {
	letter := "F"
	for _, from := range []struct {
		n      int
		letter string
	}{{34, "N"}, {52, "R"}, {82, "D"}, {107, "O"}, {126, "D"}} {
		if n >= from.n {
			letter = from.letter
		}
	}
	return fmt.Sprintf("%s%d", letter, n)
}

func TestEveryRowOfTheCatalogueStandsOnce(t *testing.T) {
	rows := Catalogue()
	for n := range max(len(rows), rowsInCatalogue) {
		if n >= len(rows) || rows[n].ID != rowID(n+1) {
			t.Fatalf("row %d is not %s: %v", n+1, rowID(n+1), rows[max(0, n-1):min(n+2, len(rows))])
		}
		if r := rows[n]; r.Home == "" || len(r.Ends) == 0 {
			t.Errorf("%s has no home or no end", r.ID)
		}
	}
	if len(rows) != rowsInCatalogue {
		t.Errorf("%d rows, want %d", len(rows), rowsInCatalogue)
	}
}

func TestEveryRowIsACaseOrStated(t *testing.T) {
	held := make(map[string]int)
	for _, c := range All() {
		held[c.ID]++
	}
	stated := make(map[string]int)
	for _, s := range NotPromised() {
		stated[s.ID]++
	}
	for _, r := range Catalogue() {
		want := []int{1, 0}
		if slices.Contains(r.Ends, Promised) {
			want = []int{0, 1}
		}
		if got := []int{held[r.ID], stated[r.ID]}; !slices.Equal(got, want) {
			t.Errorf("%s has %d cases and is stated %d times, want %v", r.ID, got[0], got[1], want)
		}
		delete(held, r.ID)
		delete(stated, r.ID)
	}
	if len(held)+len(stated) > 0 {
		t.Errorf("these are no rows of the catalogue: %v %v", held, stated)
	}
}

// TestTheMachineRunsTheStarredRows holds the rows that the booted machine runs
// against those of the catalogue.
func TestTheMachineRunsTheStarredRows(t *testing.T) {
	const stars = 67
	text, err := os.ReadFile("../scripts/vm/steps.py")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "STARRED = (")
	list, _, _ := strings.Cut(rest, ")")
	machine := strings.Fields(strings.ReplaceAll(list, `"`, " "))
	var here []string
	for _, c := range Starred() {
		here = append(here, strconv.Itoa(number(c.ID)))
	}
	if len(here) != stars || !slices.Equal(here, machine) {
		t.Errorf("%d starred rows %v, want %d; the machine runs %v", len(here), here, stars, machine)
	}
}

// TestEveryCaseDemandsAnEndOfItsRow holds what a case expects against what the
// catalogue says.
func TestEveryCaseDemandsAnEndOfItsRow(t *testing.T) {
	cases := make(map[string]Case)
	for _, c := range All() {
		cases[c.ID] = c
	}
	for _, r := range Catalogue() {
		c, ok := cases[r.ID]
		if ok && !slices.ContainsFunc(r.Ends, func(e End) bool { return endsAs(e, c) }) {
			t.Errorf("%s is to end as one of %v; the case demands %v, held %v", r.ID, r.Ends, c.Attack.Expect.Statuses, c.Attack.Expect.Held)
		}
	}
}

func endsAs(end End, c Case) bool {
	e := c.Attack.Expect
	ends := func(some ...cellwall.Status) bool {
		return slices.ContainsFunc(some, func(s cellwall.Status) bool { return slices.Contains(e.Statuses, s) })
	}
	switch end {
	case Blocked:
		return len(e.Held) > 0
	case Killed:
		return e.Within > 0 || ends(cellwall.StatusTimeout, cellwall.StatusMemoryLimit, cellwall.StatusProcessLimit, cellwall.StatusOutputLimit)
	case Cut:
		return ends(cellwall.StatusOutputLimit) || e.Judge != nil
	case Rejected:
		return ends(cellwall.StatusRefused, cellwall.StatusError) && e.Judge != nil
	case Skipped:
		return len(e.Skipped) > 0 || e.Judge != nil
	case Told:
		return len(e.Statuses) > 0 || e.Judge != nil
	case Inert:
		return len(passes(c)) == 0
	}
	return false
}

// TestThreatsTellsEveryRow keeps the table in the document that of the corpus.
func TestThreatsTellsEveryRow(t *testing.T) {
	const begin, end = "<!-- rows: written by go test ./abuse -update -->\n", "<!-- end of rows -->\n"
	text, err := os.ReadFile(threats)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	old, foot, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table of rows", threats)
	}
	want := table()
	if *update && old != want {
		if err := os.WriteFile(threats, []byte(head+begin+want+end+foot), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != want {
		t.Errorf("the table of rows in %s is not that of the corpus; run go test ./abuse -update", threats)
	}
}

// table lists the rows, as Markdown.
func table() string {
	cases := make(map[string]Case)
	for _, c := range All() {
		cases[c.ID] = c
	}
	var b strings.Builder
	b.WriteString("| row | attempt | what holds | home | end | shown at work by |\n|---|---|---|---|---|---|\n")
	for _, r := range Catalogue() {
		c, ok := cases[r.ID]
		title, boundary, shown := c.Title, c.Boundary, shownBy(c)
		if !ok {
			for _, s := range NotPromised() {
				if s.ID == r.ID {
					title, boundary, shown = s.Title, "nothing: "+s.Why, "–"
				}
			}
		}
		var ends []string
		for _, e := range r.Ends {
			ends = append(ends, string(e))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.ID, title, boundary, r.Home, strings.Join(ends, " or "), shown)
	}
	return b.String()
}

func shownBy(c Case) string {
	switch {
	case c.Control.Unshown != nil:
		return "an outer cell; where " + c.Control.Unshown.Why + ", a proof of what the host lacks"
	case c.Control.Harness != "":
		return "an outer cell, `abuse/programs/" + c.Control.Harness + "`"
	}
	return "an outer cell"
}

package cellwall_test

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwall/cellwall/abuse"
)

// TestThreats_every_property_names_a_test_that_exists keeps docs/THREATS.md
// checkable: each of the 24 properties, and each line on checkpoints and on data from
// outside, names a row of
// the corpus, a Go test or a test of the driver, and a place in the tree.
func TestThreats_every_property_names_a_test_that_exists(t *testing.T) {
	text, err := os.ReadFile("docs/THREATS.md")
	if err != nil {
		t.Fatal(err)
	}
	known := knownProofs(t)
	found := map[string]bool{}
	for _, p := range threatsOf(string(text)) {
		if found[p.id] {
			t.Errorf("%s stands there twice", p.id)
		}
		found[p.id] = true
		for _, problem := range p.check(known) {
			t.Errorf("%s: %s", p.id, problem)
		}
	}
	for table, lines := range map[string]int{"P": 24, "C": 9, "S": 7, "W": 9, "H": 7} {
		for n := range lines {
			if id := fmt.Sprintf("%s%d", table, n+1); !found[id] {
				t.Errorf("there is no line %s", id)
			}
		}
	}
}

// TestThreatsCheckBites proves that the check can fail.
func TestThreatsCheckBites(t *testing.T) {
	known := proofs{rows: map[string]bool{"F1": true, "F3": true}, tests: map[string]bool{"TestReal": true, "test_real": true}}
	for line, want := range map[string]string{
		"| P1 | a | b | `abuse/` | F1, *TestReal*, *real* (pytest) |": "",
		"| P1 | a | b | `abuse/` | |":                                 "no proof",
		"| P1 | a | b | `abuse/` | F2 |":                              "no row F2",
		"| P1 | a | b | `abuse/` | F1–F2 |":                           "no row F2",
		"| P1 | a | b | `abuse/` | *TestGone* |":                      "no test TestGone",
		"| P1 | a | b | `abuse/` | *gone* (pytest) |":                 "no test test_gone",
		"| P1 | a | b | `abuse/` | F1; somehow |":                     "is no proof",
		"| P1 | a | b | `abuse/gone.go` | F1 |":                       "no abuse/gone.go",
	} {
		parsed := threatsOf(line)
		if len(parsed) != 1 {
			t.Fatalf("%q is %d lines", line, len(parsed))
		}
		got := strings.Join(parsed[0].check(known), "; ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// threat is one line of the table of properties.
type threat struct{ id, where, proof string }

func threatsOf(text string) []threat {
	var all []threat
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) == 7 && regexp.MustCompile(`^ [PSWCH]\d+ $`).MatchString(cells[1]) {
			all = append(all, threat{strings.TrimSpace(cells[1]), cells[4], cells[5]})
		}
	}
	return all
}

// proofs are what a line may name.
type proofs struct {
	rows  map[string]bool // of the corpus
	tests map[string]bool // Go's and Python's
}

func knownProofs(t *testing.T) proofs {
	t.Helper()
	known := proofs{map[string]bool{}, map[string]bool{}}
	for _, c := range abuse.All() {
		known.rows[c.ID] = true
	}
	declared := regexp.MustCompile(`(?m)^(?:func ((?:Test|Fuzz)\w+)\(|\s*(?:async )?def (test_\w+)\()`)
	isTest := func(name string) bool { return isGoTest(name) || strings.HasPrefix(path.Base(name), "test_") }
	eachFile(t, isTest, func(_ string, text []byte) {
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			known.tests[m[1]+m[2]] = true
		}
	})
	return known
}

var (
	rowProof  = regexp.MustCompile(`^([FNRDO])(\d+)(?:–([FNRDO])(\d+))?$`)
	testProof = regexp.MustCompile(`^\*(\w+)\*( \(pytest\))?$`)
	placeName = regexp.MustCompile("`([\\w./]*/[\\w./]*)`")
)

// check says what is wrong with a line.
func (p threat) check(known proofs) []string {
	var bad []string
	for _, m := range placeName.FindAllStringSubmatch(p.where, -1) {
		if _, err := os.Stat(m[1]); err != nil {
			bad = append(bad, "there is no "+m[1])
		}
	}
	names := strings.FieldsFunc(p.proof, func(r rune) bool { return r == ',' || r == ';' })
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	if len(names) == 0 {
		bad = append(bad, "no proof")
	}
	for _, name := range names {
		switch row, test := rowProof.FindStringSubmatch(name), testProof.FindStringSubmatch(name); {
		case row != nil:
			bad = append(bad, known.missingRows(row)...)
		case test != nil:
			full := test[1]
			if test[2] != "" {
				full = "test_" + full
			}
			if !known.tests[full] {
				bad = append(bad, "no test "+full)
			}
		default:
			bad = append(bad, strconv.Quote(name)+" is no proof")
		}
	}
	return bad
}

// missingRows names those of F1 or F1–F3 that the corpus does not have. Within a
// range only the ends must be there: the catalogue numbers across its letters.
func (k proofs) missingRows(m []string) []string {
	ends := []string{m[1] + m[2]}
	if m[3] != "" {
		ends = append(ends, m[3]+m[4])
	}
	var bad []string
	for _, id := range ends {
		if !k.rows[id] {
			bad = append(bad, "no row "+id)
		}
	}
	return bad
}

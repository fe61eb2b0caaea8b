package rating

import (
	"math"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// table is what observers said, a line for each, a column for each unit; "." is nothing.
func table(lines ...string) [][]int {
	var units [][]int
	for _, line := range lines {
		for i, word := range strings.Fields(line) {
			if len(units) <= i {
				units = append(units, nil)
			}
			if word != "." {
				units[i] = append(units[i], int(word[0]-'0'))
			}
		}
	}
	return units
}

// The examples that were published with their results.
func TestM46_AlphaIsThatOfThePublishedExamples(t *testing.T) {
	// K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), sections A to D.
	two := table("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
	nominal := table("1 1 2 2 4 3 3 3 5 4 4 1", "2 1 2 2 2 3 3 3 5 4 4 4")
	four := table(
		"1 2 3 3 2 1 4 1 2 . . .",
		"1 2 3 3 2 2 4 1 2 5 . 3",
		". 3 3 3 2 3 4 2 2 5 1 .",
		"1 2 3 3 2 4 4 1 2 5 1 .",
	)
	// The example of the article on the coefficient in Wikipedia, three coders.
	three := table(
		". . . . . 3 4 1 2 1 1 3 3 . 3",
		"1 . 2 1 3 3 4 3 . . . . . . .",
		". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
	)
	for name, tt := range map[string]struct {
		units  [][]int
		metric Metric
		want   float64
	}{
		"A, two observers, two values":        {two, Nominal, 0.095},
		"B, two observers, five values":       {nominal, Nominal, 0.692},
		"C, four observers, some do not rate": {four, Nominal, 0.743},
		"D, the same, in their order":         {four, Ordinal, 0.815},
		"D, ordinal is what is taken":         {four, "", 0.815},
		"D, the same, by distance":            {four, Interval, 0.849},
		"three coders":                        {three, Nominal, 0.691},
		"three coders, by distance":           {three, Interval, 0.811},
	} {
		if got, ok := Alpha(tt.units, tt.metric); !ok || math.Abs(got-tt.want) > 0.0006 {
			t.Errorf("%s: %.4f, %v, want %.3f", name, got, ok, tt.want)
		}
	}
}

func TestM46_AlphaAtItsEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		units [][]int
		want  float64
		none  bool
	}{
		"everybody agrees":              {table("1 2 5", "1 2 5"), 1, false},
		"nothing varies":                {table("3 3", "3 3"), 0, true},
		"nobody rates what another did": {table("1 . 3", ". 2 ."), 0, true},
		"nothing":                       {nil, 0, true},
		"two who never agree":           {table("1 5 1 5", "5 1 5 1"), -0.75, false},
	} {
		got, ok := Alpha(tt.units, Ordinal)
		if ok == tt.none || math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: %v, %v, want %v", name, got, ok, tt.want)
		}
	}
}

func TestM46_ASummaryIsGroupedAndWeighsRatings(t *testing.T) {
	rated := func(execution, rater, model, prompt string, correctness, fluency int) cellwall.Rating {
		return cellwall.Rating{
			Execution: execution, Rater: rater, Model: model, Prompt: prompt, Environment: "python-data-basic",
			Scores: cellwall.Scores{Correctness: correctness, Completeness: 3, Fluency: fluency, Attribution: 1},
		}
	}
	all := []cellwall.Rating{
		rated("exec_1", "ann", "m1", "p1", 5, 4), rated("exec_1", "ben", "m1", "p1", 5, 2),
		rated("exec_2", "ann", "m1", "p2", 1, 4), rated("exec_2", "ben", "m1", "p2", 1, 4),
		rated("exec_3", "ann", "m0", "p1", 2, 3),
	}
	whole := Summarize(all, nil, Ordinal)
	if len(whole) != 1 || whole[0].Ratings != 5 || whole[0].Executions != 3 || whole[0].Raters != 2 || whole[0].Correctness.Mean != 14.0/5 {
		t.Errorf("%+v", whole)
	}
	groups := Summarize(all, []By{ByModel}, Ordinal)
	if len(groups) != 2 || groups[0].Model != "m0" || groups[1].Model != "m1" || groups[1].Prompt != "" {
		t.Fatalf("%+v", groups)
	}
	m1 := groups[1]
	if m1.Correctness.Mean != 3 || m1.Correctness.Alpha == nil || *m1.Correctness.Alpha != 1 || m1.Fluency.Mean != 3.5 || m1.Completeness.Alpha != nil {
		t.Errorf("%+v", m1)
	}
	if fine := Summarize(all, All(), Ordinal); len(fine) != 3 || fine[2].Prompt != "p2" || fine[2].Environment != "python-data-basic" {
		t.Errorf("%+v", fine)
	}
}

package rating

import (
	"cmp"
	"slices"

	"github.com/cellwall/cellwall"
)

// By names what ratings are grouped by.
type By string

// What they can be grouped by.
const (
	ByModel       By = "model"
	ByPrompt      By = "prompt_version"
	ByEnvironment By = "environment"
)

// All are the fields of By, in the order in which groups are sorted.
func All() []By { return []By{ByModel, ByPrompt, ByEnvironment} }

// Group is what was said of executions that have the same model, prompt version and
// environment. Fields that nobody grouped by are "".
type Group struct {
	Model       string `json:"model"`
	Prompt      string `json:"prompt_version"`
	Environment string `json:"environment"`
	Executions  int    `json:"executions"`
	Ratings     int    `json:"ratings"`
	Raters      int    `json:"raters"`

	Correctness  Figure `json:"correctness"`
	Completeness Figure `json:"completeness"`
	Fluency      Figure `json:"fluency"`
	Attribution  Figure `json:"attribution"`
}

// Figure is what was said in one respect.
type Figure struct {
	Mean  float64  `json:"mean"`
	Alpha *float64 `json:"alpha"` // of agreement; nil = it cannot be told
}

// group is one under way.
type group struct {
	Group
	raters map[string]bool
	units  map[string][]cellwall.Scores // by execution
}

// Summarize groups ratings, sorted by what they are grouped by.
func Summarize(all []cellwall.Rating, by []By, m Metric) []Group {
	groups := map[[3]string]*group{}
	for _, r := range all {
		at := Group{}
		for _, field := range by {
			switch field {
			case ByModel:
				at.Model = r.Model
			case ByPrompt:
				at.Prompt = r.Prompt
			case ByEnvironment:
				at.Environment = r.Environment
			}
		}
		key := [3]string{at.Model, at.Prompt, at.Environment}
		g := groups[key]
		if g == nil {
			g = &group{at, map[string]bool{}, map[string][]cellwall.Scores{}}
			groups[key] = g
		}
		g.Ratings++
		g.raters[r.Rater] = true
		g.units[r.Execution] = append(g.units[r.Execution], r.Scores)
	}
	list := make([]Group, 0, len(groups))
	for _, g := range groups {
		list = append(list, g.summary(m))
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Prompt, b.Prompt), cmp.Compare(a.Environment, b.Environment))
	})
	return list
}

func (g *group) summary(m Metric) Group {
	g.Executions, g.Raters = len(g.units), len(g.raters)
	for _, respect := range []struct {
		into *Figure
		of   func(cellwall.Scores) int
	}{
		{&g.Correctness, func(s cellwall.Scores) int { return s.Correctness }},
		{&g.Completeness, func(s cellwall.Scores) int { return s.Completeness }},
		{&g.Fluency, func(s cellwall.Scores) int { return s.Fluency }},
		{&g.Attribution, func(s cellwall.Scores) int { return s.Attribution }},
	} {
		*respect.into = g.figure(respect.of, m)
	}
	return g.Group
}

func (g *group) figure(of func(cellwall.Scores) int, m Metric) (f Figure) {
	units := make([][]int, 0, len(g.units))
	for _, scores := range g.units {
		unit := make([]int, len(scores))
		for i, s := range scores {
			unit[i] = of(s)
			f.Mean += float64(unit[i])
		}
		units = append(units, unit)
	}
	f.Mean /= float64(g.Ratings)
	if alpha, ok := Alpha(units, m); ok {
		f.Alpha = &alpha
	}
	return f
}

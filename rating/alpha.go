package rating

import (
	"maps"
	"slices"
)

// Metric is how different two scores are. The zero value is Ordinal.
type Metric string

// The metrics.
const (
	Nominal  Metric = "nominal"  // they differ, or not
	Ordinal  Metric = "ordinal"  // by how many scores given lie between them
	Interval Metric = "interval" // by their distance, squared
)

// Alpha is Krippendorff's α of units, each with the scores that it was given, in any
// order. ok is false where there is none: fewer than two scores of one unit, or no
// variation.
func Alpha(units [][]int, m Metric) (alpha float64, ok bool) {
	together := map[[2]int]float64{} // how often two scores were given to one unit
	given := map[int]float64{}       // how often a score was given where somebody else gave one too
	all := 0.0
	for _, scores := range units {
		if len(scores) < 2 {
			continue
		}
		all += float64(len(scores))
		for i, a := range scores {
			given[a]++
			for j, b := range scores {
				if i != j {
					together[[2]int{a, b}] += 1 / float64(len(scores)-1)
				}
			}
		}
	}
	values := slices.Sorted(maps.Keys(given))
	var seen, expected float64
	for i, a := range values {
		for j, b := range values {
			if i == j {
				continue
			}
			d := m.difference(values, given, i, j)
			seen += together[[2]int{a, b}] * d
			expected += given[a] * given[b] * d
		}
	}
	if expected == 0 {
		return 0, false
	}
	return 1 - (all-1)*seen/expected, true
}

// difference is that between the i-th and the j-th value, squared.
func (m Metric) difference(values []int, given map[int]float64, i, j int) float64 {
	switch m {
	case Nominal:
		return 1
	case Interval:
		d := float64(values[i] - values[j])
		return d * d
	case Ordinal, "":
	}
	low, high := min(i, j), max(i, j)
	between := -(given[values[low]] + given[values[high]]) / 2
	for _, v := range values[low : high+1] {
		between += given[v]
	}
	return between * between
}

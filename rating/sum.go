package rating

import (
	"errors"

	"github.com/cellwall/cellwall"
)

// mostSummed bounds what one summary holds in memory.
const mostSummed = 200_000

// Sum is [Summarize] of what each hands out. CodeTooLarge: there are more than 200,000.
func Sum(each func(func(cellwall.Rating) error) error, by []string, metric string) ([]Group, error) {
	var all []cellwall.Rating
	err := each(func(r cellwall.Rating) error {
		if len(all) == mostSummed {
			return &cellwall.Error{
				Code: cellwall.CodeTooLarge, Op: "sum ratings", Err: errors.New("there are more than 200,000"), Hint: "ask for those since a day, or of one model",
			}
		}
		r.Comment = ""
		all = append(all, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	fields := make([]By, 0, len(by))
	for _, name := range by {
		fields = append(fields, By(name))
	}
	return Summarize(all, fields, Metric(metric)), nil
}

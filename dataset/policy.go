package dataset

import (
	"fmt"

	"github.com/cellwall/cellwall"
)

// The two ways to choose rows above the limit.
const (
	SampleRandom = "random" // seed 42, in the order of the file
	SampleHead   = "head"   // the first rows
)

// How a description names the rows that were given.
const (
	GivenAll    = "all"
	GivenRandom = "random seed 42"
	GivenHead   = "head"
)

// MaxRows bounds the row limit itself.
const MaxRows = 10_000_000

// Policy is how much of a table a program is given. The zero value means
// 10,000 rows, chosen at random.
type Policy struct {
	Rows   int    // 0 = 10,000
	Sample string // SampleRandom or SampleHead; "" = SampleRandom
}

// WithDefaults returns p with every zero field filled.
func (p Policy) WithDefaults() Policy {
	if p.Rows == 0 {
		p.Rows = cellwall.DefaultLimits().Rows
	}
	if p.Sample == "" {
		p.Sample = SampleRandom
	}
	return p
}

// Validate refuses a limit out of range and an unknown way to choose.
func (p Policy) Validate() error {
	p = p.WithDefaults()
	if p.Rows < 1 || p.Rows > MaxRows {
		return &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "set row limit",
			Err: fmt.Errorf("%d is not within 1 to %d", p.Rows, MaxRows), Hint: "leave it out for the default",
		}
	}
	if p.Sample != SampleRandom && p.Sample != SampleHead {
		return &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "set sample",
			Err: fmt.Errorf("%q is unknown", p.Sample), Hint: "give random or head",
		}
	}
	return nil
}

// given reports whether a description may call its rows that.
func given(sample string) bool {
	return sample == GivenAll || sample == GivenRandom || sample == GivenHead
}

package policy

import (
	"context"
	"errors"
	"testing"

	"github.com/cellwall/cellwall/policy/review"
)

// reviewer says what a test gives it, and counts.
type reviewer struct {
	said  review.Opinion
	err   error
	asked int
}

func (r *reviewer) Review(context.Context, string) (review.Opinion, error) {
	r.asked++
	return r.said, r.err
}

func TestM33_AReviewerCanOnlyRefuse(t *testing.T) {
	refuses, passes, dead := review.Opinion{Refuse: true, Line: 3, Reason: "no"}, review.Opinion{Reason: "fine"}, errors.New("late")
	const bad = "subprocess" // that strict refuses by its text
	for name, c := range map[string]struct {
		profile    Profile
		source     string
		said       review.Opinion
		err        error
		unreviewed bool
		asked      int
		verdict    Verdict
		found      string
	}{
		"refuses what passed":              {Default, "x = 1", refuses, nil, false, 1, Refuse, "review"},
		"lets pass what passed":            {Default, "x = 1", passes, nil, false, 1, Advise, "review"},
		"is not asked of what was refused": {Strict, bad, passes, nil, true, 0, Refuse, "text term"},
		"is not asked in off":              {Off, "x = 1", refuses, nil, false, 0, Pass, ""},
		"does not answer":                  {Default, "x = 1", passes, dead, false, 1, Refuse, "review"},
		"does not answer, and that may be": {Default, "x = 1", passes, dead, true, 1, Advise, "review"},
		"an error says nothing else":       {Default, "x = 1", refuses, dead, true, 1, Advise, "review"},
		"on the second article's route":    {Execute, "x = 1", refuses, nil, false, 1, Refuse, "review"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &reviewer{said: c.said, err: c.err}
			chain := newChain(t, Options{Parser: &said{}, Reviewer: r, Unreviewed: c.unreviewed})
			found, verdict, err := chain.Check(t.Context(), Program{Source: c.source, Profile: c.profile})
			if err != nil || verdict != c.verdict || rulesOf(found) != c.found || r.asked != c.asked {
				t.Errorf("%s %+v %v, asked %d times", verdict, found, err, r.asked)
			}
			for _, f := range found {
				if f.Line < 1 || f.Message == "" {
					t.Errorf("%+v", f)
				}
			}
		})
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := newChain(t, Options{Reviewer: &reviewer{err: context.Canceled}, Unreviewed: true}).Check(gone, Program{Source: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left: %v", err)
	}
}

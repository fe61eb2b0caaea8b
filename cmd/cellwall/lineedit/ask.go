package lineedit

import (
	"context"
	"errors"
	"slices"
	"time"
)

// askPatience is how long a terminal may take for an answer: one at the other
// end of a slow line.
const askPatience = 500 * time.Millisecond

// Ask sends the terminal a question and returns its answer, which is where
// find finds it, or nil when none came in time. What a person typed meanwhile, in
// front of it or behind, stays. Find returns 0, 0 as long as it is not whole.
func (e *Editor) Ask(ctx context.Context, question string, find func(input []byte) (start, end int)) ([]byte, error) {
	restore, err := e.raw()
	if err != nil {
		return nil, err
	}
	defer restore()
	e.write(question)
	deadline := time.Now().Add(askPatience)
	for {
		if start, end := find(e.keys.pending); end > 0 {
			answer := slices.Clone(e.keys.pending[start:end])
			e.keys.pending = slices.Delete(e.keys.pending, start, end)
			return answer, nil
		}
		left := time.Until(deadline)
		if left <= 0 {
			return nil, nil
		}
		if err := e.keys.fill(ctx, left); errors.Is(err, errLate) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
}

package lineedit

import (
	"context"
	"errors"
	"time"
)

// askPatience is how long a terminal may take for an answer: one at the other
// end of a slow line.
const askPatience = 500 * time.Millisecond

// Ask sends the terminal a question and returns its answer, which ends where
// last finds an end, or nil when none came in time. What a person typed
// meanwhile in front of the answer is lost; behind it, it stays.
func (e *Editor) Ask(ctx context.Context, question string, last func(answer []byte) int) ([]byte, error) {
	restore, err := e.raw()
	if err != nil {
		return nil, err
	}
	defer restore()
	e.write(question)
	deadline := time.Now().Add(askPatience)
	for {
		if end := last(e.keys.pending); end > 0 {
			answer := e.keys.pending[:end]
			e.keys.pending = e.keys.pending[end:]
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

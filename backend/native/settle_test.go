package native

import (
	"context"
	"errors"
	"testing"
)

// What is opened ahead of need waits until the zygote is at its best, and for
// nothing else: a zygote that dies or a caller that goes away ends the wait.
func TestAwaitSettled(t *testing.T) {
	closed := func() chan struct{} {
		c := make(chan struct{})
		close(c)
		return c
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]*struct {
		ctx  context.Context
		stem stem
		want error
	}{
		"settled": {t.Context(), stem{settled: closed(), gone: make(chan struct{})}, nil},
		"dead":    {t.Context(), stem{settled: make(chan struct{}), gone: closed()}, errStemGone},
		"no wish": {gone, stem{settled: make(chan struct{}), gone: make(chan struct{})}, context.Canceled},
	} {
		if err := c.stem.awaitSettled(c.ctx); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

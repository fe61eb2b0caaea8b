package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// keyedTurns lets one call after the other have its turn, for each key.
type keyedTurns struct {
	mu    sync.Mutex
	lines map[string]*turnLine
}

type turnLine struct {
	place chan struct{}
	calls int // that have the turn or wait for it
}

// mostTurns is how many calls of one key may wait.
const mostTurns = 8

func newKeyedTurns() *keyedTurns { return &keyedTurns{lines: map[string]*turnLine{}} }

// enter waits for the turn, at most so long.
func (k *keyedTurns) enter(ctx context.Context, key string, patience time.Duration) (leave func(), err error) {
	line := k.join(key)
	if line == nil {
		return nil, busySession(errors.New("too many calls wait for their turn in this session"))
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case line.place <- struct{}{}:
		return func() { <-line.place; k.part(key) }, nil
	case <-within.Done():
		k.part(key)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, busySession(errors.New("the call before it does not end"))
	}
}

func (k *keyedTurns) join(key string) *turnLine {
	k.mu.Lock()
	defer k.mu.Unlock()
	line := k.lines[key]
	if line == nil {
		line = &turnLine{place: make(chan struct{}, 1)}
		k.lines[key] = line
	}
	if line.calls > mostTurns {
		return nil
	}
	line.calls++
	return line
}

func (k *keyedTurns) part(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if line := k.lines[key]; line != nil {
		if line.calls--; line.calls == 0 {
			delete(k.lines, key)
		}
	}
}

func busySession(why error) error {
	return &cellwall.Error{
		Code: cellwall.CodeBusy, Op: "wait for the turn in the session", Err: why, Hint: "make one call after the other", RetryAfter: time.Second,
	}
}

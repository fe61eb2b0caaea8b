package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/filelock"
)

// seenPatience is how long a verb waits for the service that runs over its state
// directory. That looks five times a second for a lockdown, twice for keys.
const seenPatience = 5 * time.Second

// awaitService returns nil when the service that runs over the state directory
// acts on a change, or when none runs: what a verb promises then holds from the
// moment that it ends. Another service over the same database sees a change of
// keys within half a second.
func (c *config) awaitService(ctx context.Context, patience time.Duration, acts func(seenState) bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		here, err := filelock.Held(c.inState("serve.lock"))
		if err != nil {
			return stateError(c, err)
		}
		if !here || acts(c.readSeen()) {
			return nil
		}
		select {
		case <-ctx.Done():
			return &cellwall.Error{
				Code: cellwall.CodeInternal, Op: "wait for the service that runs here",
				Err:  fmt.Errorf("it has not answered within %v", patience),
				Hint: "what was asked for is written, and holds when it looks; see its log, or end it",
			}
		case <-again.C:
		}
	}
}

// readSeen is what the service said last; nothing when that is not there yet.
func (c *config) readSeen() (said seenState) {
	raw, err := os.ReadFile(c.seenFile())
	if err != nil || json.Unmarshal(raw, &said) != nil {
		return seenState{}
	}
	return said
}

// errOtherBook is of a service that has its tenants and keys elsewhere.
var errOtherBook = errors.New("the service that runs here has its tenants and keys in another database, or names it otherwise: see --config and --database")

// lookTime is longer than a service takes to see a change of its book.
const lookTime = time.Second

// awaitSeen returns when the service that runs here knows this revision of the
// book. One that names its book otherwise may have the same one all the same: it
// gets the time to look.
func (b *openedBook) awaitSeen(ctx context.Context, c *config) error {
	other := false
	err := c.awaitService(ctx, seenPatience, func(said seenState) bool {
		other = said.V != 0 && said.Book != bookName(b.address)
		return other || said.V != 0 && said.Revision >= b.Revision()
	})
	if err == nil && other {
		pauseFor(ctx, lookTime)
		err = errOtherBook
	}
	return err
}

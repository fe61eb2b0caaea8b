package policy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// CheckersOptions say how programs are parsed behind a wall.
type CheckersOptions struct {
	// Open opens an interpreter of an environment that nobody used, bound and not
	// begun: no code ever runs in it, it is only asked. Required.
	Open func(context.Context, cellwall.Environment) (cellwall.Interpreter, error)

	Programs int           // read by one interpreter before it is replaced; 0 = 1,000
	Patience time.Duration // for one program; 0 = 2 s
	Idle     time.Duration // one that nobody asked for so long is closed; 0 = 10 minutes
	Logger   *slog.Logger  // nil = silent
}

// Checkers are a Parser over sandboxes: one interpreter for each environment,
// warm, opened at the first program. One that dies, does not answer in time or
// says what cannot be is replaced. It is safe for concurrent use; programs of one
// environment wait for each other.
type Checkers struct {
	opts CheckersOptions

	mu      sync.Mutex
	byImage map[string]*checker // by digest
	closed  bool
	closing sync.WaitGroup
}

// NewCheckers returns checkers of which none is open yet. Close them.
func NewCheckers(opts CheckersOptions) *Checkers {
	if opts.Programs <= 0 {
		opts.Programs = 1_000
	}
	if opts.Patience <= 0 {
		opts.Patience = 2 * time.Second
	}
	if opts.Idle <= 0 {
		opts.Idle = 10 * time.Minute
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return &Checkers{opts: opts, byImage: map[string]*checker{}}
}

// checker is the interpreter of one environment. Whoever has the token of turn
// reads and changes it.
type checker struct {
	turn        chan struct{}
	interpreter cellwall.Interpreter // nil = not open
	served      int
	idle        *time.Timer
}

var errClosed = errors.New("the checkers are closed")

// Outline implements Parser. A program that ends two interpreters, the second of
// which had read no other, has ended them itself.
func (c *Checkers) Outline(ctx context.Context, env cellwall.Environment, source string) (Outline, error) {
	answer, err := c.answer(ctx, env, cellwall.Question{Kind: cellwall.AskOutline, Text: source})
	return answer.outline, err
}

// Parses reports whether a program is plain Python for half of what an outline
// costs. No may be wrong: Outline has the last word.
func (c *Checkers) Parses(ctx context.Context, env cellwall.Environment, source string) (bool, error) {
	answer, err := c.answer(ctx, env, cellwall.Question{Kind: cellwall.AskParses, Text: source})
	return answer.plain, err
}

// answer is what an interpreter said, read.
type answer struct {
	outline Outline
	plain   bool
}

// answer asks the interpreter of an environment, and a second one where the first
// ended or said what cannot be.
func (c *Checkers) answer(ctx context.Context, env cellwall.Environment, q cellwall.Question) (answer, error) {
	k, err := c.of(env)
	if err != nil {
		return answer{}, err
	}
	select {
	case <-k.turn:
	case <-ctx.Done():
		return answer{}, fmt.Errorf("wait for the parser of %s: %w", env.Name, ctx.Err())
	}
	defer func() { k.turn <- struct{}{} }()
	for {
		fresh := k.interpreter == nil
		if err := c.open(ctx, k, env); err != nil {
			return answer{}, err
		}
		said, err := c.ask(ctx, k, q)
		if err == nil {
			c.rest(k)
			return said, nil
		}
		c.drop(k)
		switch {
		case ctx.Err() != nil:
			return answer{}, fmt.Errorf("parse: %w", ctx.Err())
		case fresh:
			return answer{}, fmt.Errorf("%w: %w", ErrGaveUp, err)
		}
	}
}

// of returns the checker of an environment.
func (c *Checkers) of(env cellwall.Environment) (*checker, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	k := c.byImage[env.Digest]
	if k == nil {
		k = &checker{turn: make(chan struct{}, 1)}
		k.turn <- struct{}{}
		c.byImage[env.Digest] = k
	}
	return k, nil
}

func (c *Checkers) open(ctx context.Context, k *checker, env cellwall.Environment) (err error) {
	if k.idle != nil {
		k.idle.Stop()
	}
	if k.interpreter != nil {
		return nil
	}
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return errClosed
	}
	k.served = 0
	if k.interpreter, err = c.opts.Open(ctx, env); err != nil {
		k.interpreter = nil
		return fmt.Errorf("open a parser of %s: %w", env.Name, err)
	}
	return nil
}

func (c *Checkers) ask(ctx context.Context, k *checker, q cellwall.Question) (said answer, err error) {
	// A caller who leaves must not cost the next one a new interpreter.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.opts.Patience)
	defer cancel()
	k.served++
	got, err := k.interpreter.Ask(ctx, q)
	if err == nil && q.Kind == cellwall.AskOutline {
		said.outline, err = Decode(got.Outline)
	}
	said.plain = got.Finished
	return said, err
}

// rest lets go of an interpreter that has served enough, and later of one that
// nobody asks.
func (c *Checkers) rest(k *checker) {
	if k.served >= c.opts.Programs {
		c.drop(k)
		return
	}
	if k.idle != nil {
		k.idle.Reset(c.opts.Idle)
		return
	}
	k.idle = time.AfterFunc(c.opts.Idle, func() {
		select {
		case <-k.turn:
			c.drop(k)
			k.turn <- struct{}{}
		default: // it is asked right now, and will rest again
		}
	})
}

// drop closes an interpreter in the background.
func (c *Checkers) drop(k *checker) {
	old := k.interpreter
	k.interpreter = nil
	if old == nil {
		return
	}
	c.closing.Add(1)
	go func() {
		defer c.closing.Done()
		if err := old.Close(); err != nil {
			c.opts.Logger.Warn("close a parser", "error", err)
		}
	}()
}

// Close ends every checker, and returns when they are gone. A program that is
// read just now is waited for.
func (c *Checkers) Close() error {
	c.mu.Lock()
	c.closed = true
	all := make([]*checker, 0, len(c.byImage))
	for _, k := range c.byImage {
		all = append(all, k)
	}
	c.mu.Unlock()
	for _, k := range all {
		<-k.turn
		if k.idle != nil {
			k.idle.Stop()
		}
		c.drop(k)
		k.turn <- struct{}{}
	}
	c.closing.Wait()
	return nil
}

package policy

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// inside is an interpreter that answers as a test says.
type inside struct {
	cellwall.Interpreter
	ask    func(ctx context.Context, text string) (json.RawMessage, error)
	closed *atomic.Int64
	once   sync.Once
}

func (i *inside) Ask(ctx context.Context, q cellwall.Question) (cellwall.Answer, error) {
	if q.Kind != cellwall.AskOutline {
		return cellwall.Answer{}, errors.New("another question")
	}
	raw, err := i.ask(ctx, q.Text)
	return cellwall.Answer{Outline: raw}, err
}

func (i *inside) Close() error {
	i.once.Do(func() { i.closed.Add(1) })
	return nil
}

// room opens interpreters and counts them.
type room struct {
	opened, closed atomic.Int64
	err            error
	ask            func(ctx context.Context, text string) (json.RawMessage, error)
}

func (r *room) open(context.Context, cellwall.Environment) (cellwall.Interpreter, error) {
	if r.err != nil {
		return nil, r.err
	}
	r.opened.Add(1)
	return &inside{ask: r.ask, closed: &r.closed}, nil
}

func answers(ctx context.Context, text string) (json.RawMessage, error) {
	switch text {
	case "dies":
		return nil, errors.New("the channel has ended")
	case "lies":
		return json.RawMessage(`{"names":7}`), nil
	case "hangs":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return json.RawMessage(`{"names":{"x":1}}`), nil
}

func TestM31_OneInterpreterForEachEnvironmentIsReplacedWhenItIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &room{ask: answers}
		c := NewCheckers(CheckersOptions{Open: r.open, Programs: 3, Patience: time.Second, Idle: time.Minute})
		basic, stats := cellwall.Environment{Name: "basic", Digest: "a"}, cellwall.Environment{Name: "stats", Digest: "b"}
		counts := func(step string, opened, closed int64) {
			t.Helper()
			synctest.Wait()
			if r.opened.Load() != opened || r.closed.Load() != closed {
				t.Errorf("%s: %d opened and %d closed, want %d and %d", step, r.opened.Load(), r.closed.Load(), opened, closed)
			}
		}
		parse := func(env cellwall.Environment, text string, want error) {
			t.Helper()
			o, err := c.Outline(t.Context(), env, text)
			if want == nil && (err != nil || o.Names["x"] != 1) || want != nil && !errors.Is(err, want) {
				t.Errorf("%s: %+v %v, want %v", text, o, err, want)
			}
		}
		parse(basic, "a", nil)
		parse(basic, "b", nil)
		parse(stats, "a", nil)
		counts("two environments", 2, 0)
		parse(basic, "c", nil)
		counts("after three programs", 2, 1)
		parse(basic, "d", nil)
		counts("the fourth", 3, 1)
		parse(basic, "dies", ErrGaveUp)
		counts("a program that ends the old one and a new one", 4, 3)
		parse(basic, "lies", ErrGaveUp)
		counts("an answer that is none, of a new one", 5, 4)
		began := time.Now()
		parse(basic, "hangs", ErrGaveUp)
		if took := time.Since(began); took != time.Second {
			t.Errorf("a program that hangs took %s", took)
		}
		counts("a program that hangs", 6, 5)
		parse(basic, "e", nil)
		counts("and after it", 7, 5)
		time.Sleep(time.Minute)
		counts("nobody asked for a minute", 7, 7)
		parse(basic, "f", nil)
		counts("somebody asks again", 8, 7)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		counts("closed", 8, 8)
		if _, err := c.Outline(t.Context(), basic, "g"); !errors.Is(err, errClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestM31_WhoWaitsForAParserMayLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &room{ask: answers}
		c := NewCheckers(CheckersOptions{Open: r.open})
		go c.Outline(t.Context(), cellwall.Environment{}, "hangs")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := c.Outline(ctx, cellwall.Environment{}, "x"); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrGaveUp) {
			t.Errorf("left with %v", err)
		}
		if err := c.Close(); err != nil { // waits for the one that hangs
			t.Error(err)
		}
	})
}

func TestM31_AParserThatCannotBeOpenedIsNotTheProgramsFault(t *testing.T) {
	r := &room{err: &cellwall.Error{Code: cellwall.CodeBusy, Op: "open", Err: errors.New("full")}}
	c := NewCheckers(CheckersOptions{Open: r.open})
	if _, err := c.Outline(t.Context(), cellwall.Environment{}, "x"); err == nil || errors.Is(err, ErrGaveUp) || cellwall.CodeOf(err) != cellwall.CodeBusy {
		t.Errorf("%v, want busy", err)
	}
	r.err, r.ask = nil, answers
	if _, err := c.Outline(t.Context(), cellwall.Environment{}, "x"); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

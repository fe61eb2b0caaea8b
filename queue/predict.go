package queue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/cellwall/cellwall"
)

// Bounds of a RetryAfter.
const (
	minRetry = time.Second
	maxRetry = time.Minute
)

// refusal says why a request cannot even wait, nil when it can. The caller holds
// mu.
func (q *Queue) refusal(ctx context.Context, l *line, most int, now time.Time) error {
	if most <= 0 || most > q.opts.PerTenant {
		most = q.opts.PerTenant
	}
	if n := l.waiting(); n >= most {
		q.counts.Full++
		return q.refuse(now, cellwall.CodeRateLimited, fmt.Errorf("%d executions of this tenant wait already", n), q.predict(l, now))
	}
	if q.waiting >= q.opts.Waiting {
		q.counts.Full++
		return q.refuse(now, cellwall.CodeBusy, errors.New("too many executions wait already"), times(q.mean(now), q.waiting)/time.Duration(q.opts.Servers))
	}
	wait := q.predict(l, now)
	if wait > q.opts.Acceptable {
		q.counts.Shed++
		return q.refuse(now, cellwall.CodeBusy, fmt.Errorf("a turn is predicted in %v, which is too long", wait.Round(time.Millisecond)), wait)
	}
	if end, ok := ctx.Deadline(); ok && wait > end.Sub(now) {
		q.counts.Shed++
		return q.refuse(now, cellwall.CodeBusy, fmt.Errorf("a turn is predicted in %v, after the deadline of the request", wait.Round(time.Millisecond)), wait)
	}
	return nil
}

// refuse says when to come again: after the wait, in whole turns. Those that began
// together end together, and until then a line is as long as it was. The caller
// holds mu.
func (q *Queue) refuse(now time.Time, code cellwall.ErrorCode, why error, wait time.Duration) error {
	if turn := q.mean(now); turn > 0 {
		wait = (wait + turn - 1) / turn * turn
	}
	retry := wait + time.Duration(rand.Int64N(int64(wait)/4+1))
	return &cellwall.Error{
		Code: code, Op: "wait for a turn", Err: why, RetryAfter: min(max(retry, minRetry), maxRetry),
		Hint: "try again after the time of Retry-After, and send fewer at once",
	}
}

// predict is how long a request that joins l now will wait. The caller holds mu.
func (q *Queue) predict(l *line, now time.Time) time.Duration {
	turn := q.mean(now)
	own := l.waiting() + 1
	others := len(q.next)
	if l.index >= 0 {
		others--
	}
	// By turns, each other line is served at most once before each of ours.
	before := min(q.waiting-l.waiting(), own*others)
	wait := times(turn, own+before) / time.Duration(q.opts.Servers)
	if q.opts.Servers > 1 && len(q.lines) > 1 { // it may not have the last turn
		wait = max(wait, times(turn, own)/time.Duration(q.opts.Servers-1))
	}
	return wait
}

// longest is what stands for waits that no number of nanoseconds tells.
const longest = time.Duration(math.MaxInt64 / 8)

// times is how long n turns take.
func times(turn time.Duration, n int) time.Duration {
	if n > 0 && turn > longest/time.Duration(n) {
		return longest
	}
	return turn * time.Duration(n)
}

// mean is what a turn takes: as the latest ones did, or longer when those that
// run show it. The caller holds mu.
func (q *Queue) mean(now time.Time) time.Duration {
	if q.turns == 0 {
		return 0
	}
	took := time.Duration(q.turn * float64(time.Second))
	if q.running == q.opts.Servers {
		took = max(took, now.Sub(q.start)-q.began/time.Duration(q.running))
	}
	return took
}

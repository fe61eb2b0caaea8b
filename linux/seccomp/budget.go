package seccomp

import "time"

// callCost is what a call costs that is refused without a judge: at Rate, the
// hundredth part of a core.
const callCost = 5 * time.Microsecond

// A budget is the allowance of one listener: a bucket of Burst calls that
// fills at Rate a second.
type budget struct {
	left    float64
	updated time.Time
}

func newBudget(now time.Time) budget { return budget{left: Burst, updated: now} }

// take uses one call up, and reports whether there was one, or whether it may be
// owed.
func (b *budget) take(now time.Time, onCredit bool) bool {
	b.fill(now)
	if b.left < 1 && !onCredit {
		return false
	}
	b.left--
	return true
}

// ready reports whether enough has come back to be worth a turn: a pause ends
// with a batch, not with every single call.
func (b *budget) ready(now time.Time) bool {
	b.fill(now)
	return b.left >= Rate/128
}

// spend takes more for a call that took time. What is owed comes back first.
func (b *budget) spend(d time.Duration) { b.left -= float64(d) / float64(callCost) }

func (b *budget) fill(now time.Time) {
	if d := now.Sub(b.updated); d > 0 {
		b.left = min(Burst, b.left+Rate*d.Seconds())
		b.updated = now
	}
}

package queue

import "time"

// past is what happened, told to the window as if whoever went away before its
// turn had never come: it took no turn, and nobody waited for it longer. That is
// known late. So what happens after somebody began to wait is kept until it is
// known of that one, and only then measured.
type past struct {
	window
	servers int
	kept    []happening
	told    int   // of kept
	first   int64 // the number of kept[0]

	// Where the window is told of:
	changed time.Time
	here    int
	running int
}

// What is kept is bounded, in number and in parts of the window. Of whom nothing
// is known after that, it is taken that it stays.
const (
	mostKept = 4096
	keptPart = 4
)

// happening is one step of the numbers of those who are here.
type happening struct {
	at      time.Time
	what    what
	last    bool    // the turn began as the last free one
	seconds float64 // that it waited who begins, that the turn took that ends
}

type what uint8

const (
	came  what = iota // one that stays
	waits             // one that may still go away
	never             // one that went away
	began
	ended
	unused // a turn that was given back: it ends, and is none
	late   // one went away of whom it was taken that it stays
)

func newPast(now time.Time, o Options) *past {
	return &past{window: newWindow(now, o.Window), servers: o.Servers, changed: now}
}

// note keeps what happens, and returns its number.
func (p *past) note(x happening) int64 {
	p.kept = append(p.kept, x)
	n := p.first + int64(len(p.kept)) - 1
	p.tell(x.at)
	return n
}

// untold returns what has this number while it may still be changed.
func (p *past) untold(n int64) *happening {
	if i := n - p.first; i >= int64(p.told) {
		return &p.kept[i]
	}
	return nil
}

// stays notes that the waiting one of this number has its turn.
func (p *past) stays(n int64) {
	if x := p.untold(n); x != nil {
		x.what = came
	}
}

// leaves notes that the waiting one of this number, which came then, went away.
func (p *past) leaves(n int64, arrived, now time.Time) {
	p.left(now, arrived)
	x := p.untold(n)
	if x == nil {
		p.note(happening{at: now, what: late})
		return
	}
	x.what = never
	if x == &p.kept[len(p.kept)-1] { // who comes and goes in a loop leaves nothing
		p.kept = p.kept[:len(p.kept)-1]
	}
	p.tell(now)
}

// tell tells the window all that is known for good.
func (p *past) tell(now time.Time) {
	for ; p.told < len(p.kept); p.told++ {
		x := p.kept[p.told]
		if x.what == waits && len(p.kept)-p.told <= mostKept && now.Sub(x.at) < p.width*slots/keptPart {
			break
		}
		p.happened(x)
	}
	if p.told == len(p.kept) || p.told >= mostKept {
		p.first += int64(p.told)
		p.kept = p.kept[:copy(p.kept, p.kept[p.told:])]
		p.told = 0
	}
}

// until is up to when the window is told.
func (p *past) until(now time.Time) time.Time {
	p.tell(now)
	if p.told < len(p.kept) {
		now = p.kept[p.told].at
	}
	p.passed(now)
	return now
}

// state is that of this moment in its slot; of the longest lines there is one.
func (p *past) state(s *slot) *state { return s.in(min(p.here, p.servers+mostHere)) }

// passed counts the time that so many were here.
func (p *past) passed(now time.Time) {
	if p.here > 0 {
		seconds := now.Sub(p.changed).Seconds()
		s := p.state(p.slot(now))
		s.seconds += seconds
		s.free += seconds * float64(min(p.here, p.servers)-p.running)
	}
	p.changed = now
}

// happened measures one step.
func (p *past) happened(x happening) {
	if x.what == never {
		return
	}
	p.passed(x.at)
	s := p.slot(x.at)
	switch x.what {
	case came, waits:
		if !p.last.IsZero() {
			p.gaps.add(x.at.Sub(p.last).Seconds(), &s.gaps)
		}
		p.last = x.at
		p.here++
	case began:
		s.waits.add(x.seconds)
		if x.seconds > 0 {
			s.waited++
		}
		p.running++
	case ended:
		s.services.add(x.seconds)
		p.state(s).ends++
		if x.last {
			p.full.add(x.seconds, &s.full)
		}
		p.here, p.running = p.here-1, p.running-1
	case unused:
		p.here, p.running = p.here-1, p.running-1
	case late:
		p.here--
	}
}

package queue

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// step is one thing that happens to one of a few requests, in a random order.
type step struct {
	after time.Duration
	who   int
	ends  bool // who has its turn; else its turn begins
}

// story is a random order in which each comes, and some wait and go away.
type story struct {
	steps []step
	stay  []bool
}

func tell(t *rapid.T) story {
	var s story
	var waits, runs []int
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		after := time.Duration(rapid.IntRange(0, 900).Draw(t, "ms")) * time.Millisecond
		switch kind := rapid.IntRange(0, 2).Draw(t, "kind"); {
		case kind == 1 && len(waits) > 0:
			who := waits[0]
			waits = waits[1:]
			s.steps = append(s.steps, step{after, who, false})
			if s.stay[who] {
				runs = append(runs, who)
			}
		case kind == 2 && len(runs) > 0:
			s.steps = append(s.steps, step{after, runs[0], true})
			runs = runs[1:]
		default:
			waits = append(waits, len(s.stay))
			s.steps = append(s.steps, step{after, len(s.stay), false})
			s.stay = append(s.stay, rapid.Bool().Draw(t, "stays"))
		}
	}
	return s
}

const inTurn = -1 // of who does not wait any more

// play has a past know the story, with those who go away or without.
func (s story) play(start time.Time, all bool) (slot, time.Time) {
	p := newPast(start, Options{Servers: 2, Window: time.Hour})
	now, numbers, since := start, map[int]int64{}, map[int]time.Time{}
	for _, st := range s.steps {
		now = now.Add(st.after)
		if !all && !s.stay[st.who] {
			continue
		}
		number, here := numbers[st.who]
		switch {
		case !here:
			numbers[st.who], since[st.who] = p.note(happening{at: now, what: waits}), now
		case !s.stay[st.who]:
			p.leaves(number, since[st.who], now)
			delete(numbers, st.who)
		case st.ends:
			p.note(happening{at: now, what: ended, seconds: now.Sub(since[st.who]).Seconds()})
		default:
			p.stays(number)
			numbers[st.who] = inTurn
			p.note(happening{at: now, what: began, seconds: now.Sub(since[st.who]).Seconds()})
		}
	}
	now = now.Add(time.Second)
	for who, stays := range s.stay { // who still waits
		switch number, here := numbers[who]; {
		case here && !stays:
			p.leaves(number, since[who], now)
		case here && number != inTurn:
			p.stays(number)
		}
	}
	until := p.until(now)
	seen, _ := p.sum(now)
	return seen, until
}

// What is measured of those who stay is what it were had the others never come.
func TestPast_is_as_if_those_who_go_away_had_never_come(t *testing.T) {
	start := time.Now()
	rapid.Check(t, func(t *rapid.T) {
		s := tell(t)
		with, until := s.play(start, true)
		without, same := s.play(start, false)
		if !until.Equal(same) || with.gaps[0] != without.gaps[0] || with.waits != without.waits || with.services != without.services || with.waited != without.waited {
			t.Fatalf("%+v until %v, want %+v until %v", with, until, without, same)
		}
		if len(with.states) != len(without.states) {
			t.Fatalf("states %v, want %v", with.states, without.states)
		}
		for i, got := range with.states {
			want := without.states[i]
			if got.ends != want.ends || math.Abs(got.seconds-want.seconds) > 1e-6 || math.Abs(got.free-want.free) > 1e-6 {
				t.Fatalf("%d here: %+v, want %+v", i+1, got, want)
			}
		}
	})
}

// However long one waits and however many come, what is kept is bounded, and who
// leaves late is no more here.
func TestPast_keeps_no_more_than_it_may(t *testing.T) {
	start := time.Now()
	p := newPast(start, Options{Servers: 2, Window: time.Hour})
	first := p.note(happening{at: start, what: waits})
	for i := range 5 * mostKept {
		p.note(happening{at: start.Add(time.Duration(i)), what: came})
		p.note(happening{at: start.Add(time.Duration(i)), what: began})
		p.note(happening{at: start.Add(time.Duration(i)), what: ended})
		if len(p.kept) > 2*mostKept || len(p.kept)-p.told > mostKept+1 {
			t.Fatalf("%d are kept, %d of them told", len(p.kept), p.told)
		}
	}
	p.leaves(first, start, start.Add(time.Second))
	if p.until(start.Add(time.Second)); p.here != 0 || p.running != 0 || p.told != len(p.kept) {
		t.Errorf("%d are here, %d run, %d of %d told", p.here, p.running, p.told, len(p.kept))
	}
}

// A step that is told after the window has gone on does not take the room of what is
// newer.
func TestWindow_keeps_what_is_newer(t *testing.T) {
	start := time.Now()
	w := newWindow(start, time.Minute)
	now := start.Add(time.Hour + 30*time.Second)
	w.arrival(now)
	w.slot(start.Add(30 * time.Second)).arrivals += 5
	if seen, _ := w.sum(now); seen.arrivals != 1 {
		t.Errorf("%d came in the latest minute, want 1", seen.arrivals)
	}
}

package mask

import (
	"regexp/syntax"
	"unicode/utf8"
)

// search finds all matches in a text, the same ones as regexp's FindAllIndex, in a time
// that is linear in the text. FindAllIndex is not: for a.*b|a it reads on to the end from
// each a to learn that there is no b. Here the text is read once from its end, to know
// for each place from which steps of the program a match is still reached. Then a match is
// followed from its beginning, step by step, and no step is ever taken back. Only where
// there are few matches FindAllIndex is asked, so few that this is linear as well.
//
// It is what the passes over one execution's texts share, and is for one goroutine.
type search struct {
	*program

	runes  []rune   // of the text
	places []int    // where each begins, and where the last one ends
	before rune     // the character before the text, -1 for none
	words  int      // of alive, for one place
	alive  []uint64 // by place, a bit for each step that a match is reached from

	now, then []uint32 // the steps that are alive at the place that is looked at, and behind it
	stack     []uint32
	seen      []int // by step: the round in which first came there
	round     int
}

// each calls found for each match in text that begins before limit, from left to right.
// found may change the match.
func (s *search) each(p pattern, text []byte, limit int, found func(start, end int)) {
	matches := p.expr.FindAllIndex(text, p.few+1) // most texts have none or few, and it is quicker there
	more := len(matches) > p.few
	matches = matches[:min(p.few, len(matches))]
	if more {
		from := 0
		for _, at := range matches {
			from = at[1]
		}
		s.read(p.program, text, from) // before found changes what stands there
	}
	for _, at := range matches {
		if at[0] >= limit {
			return
		}
		found(at[0], at[1])
	}
	if more {
		s.follow(limit, found)
	}
}

// follow calls found for the matches in what was read.
func (s *search) follow(limit int, found func(start, end int)) {
	for i := 0; i < len(s.places) && s.places[i] < limit; {
		if !s.lives(s.start, i) {
			i++
			continue
		}
		end := s.end(i)
		found(s.places[i], s.places[end])
		i = max(end, i+1) // a match of nothing hides nothing
	}
}

// read looks at the text from place first on, backwards.
func (s *search) read(p *program, text []byte, first int) {
	s.decode(text, first)
	s.program, s.words = p, (len(p.steps)+63)/64
	if len(s.seen) < len(p.steps) {
		s.seen, s.round = make([]int, len(p.steps)), 0
	}
	if n := s.words * len(s.places); cap(s.alive) < n {
		s.alive = make([]uint64, n)
	} else {
		s.alive = s.alive[:n]
		clear(s.alive)
	}
	s.then = s.then[:0]
	for i := len(s.runes); i >= 0; i-- {
		s.now = s.now[:0]
		s.wake(p.match, i)
		for _, next := range s.then {
			for _, step := range p.reads[next] {
				if p.takes(step, s.runes[i]) {
					s.wake(step, i)
				}
			}
		}
		s.spread(i)
		s.now, s.then = s.then, s.now
	}
}

// spread wakes the steps that lead to what is awake at a place, and read nothing.
func (s *search) spread(i int) {
	var around syntax.EmptyOp
	if s.looks {
		around = s.around(i)
	}
	for k := 0; k < len(s.now); k++ {
		for _, step := range s.silent[s.now[k]] {
			if in := &s.steps[step]; in.Op != syntax.InstEmptyWidth || syntax.EmptyOp(in.Arg)&^around == 0 {
				s.wake(step, i)
			}
		}
	}
}

// wake notes that a match is reached from a step at a place.
func (s *search) wake(step uint32, i int) {
	word, bit := &s.alive[i*s.words+int(step/64)], uint64(1)<<(step%64)
	if *word&bit == 0 {
		*word |= bit
		s.now = append(s.now, step)
	}
}

func (s *search) lives(step uint32, i int) bool {
	return s.alive[i*s.words+int(step/64)]>>(step%64)&1 != 0
}

// around is which conditions hold at a place.
func (s *search) around(i int) syntax.EmptyOp {
	before, after := s.before, rune(-1)
	if i > 0 {
		before = s.runes[i-1]
	}
	if i < len(s.runes) {
		after = s.runes[i]
	}
	return syntax.EmptyOpContext(before, after)
}

// end returns the place where the match ends that begins at one: of all that do, the one
// that the expression prefers.
func (s *search) end(i int) int {
	step := s.first(s.start, i)
	for s.steps[step].Op != syntax.InstMatch {
		i++
		step = s.first(s.steps[step].Out, i)
	}
	return i
}

// first returns the step that reads the next character, or the match: of all that come
// behind step, the first in the order of the expression from which a match is reached.
// There is one, as a match is reached from step.
func (s *search) first(step uint32, i int) uint32 {
	s.round++
	s.stack = append(s.stack[:0], step)
	for len(s.stack) > 0 {
		step = s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if s.seen[step] == s.round || !s.lives(step, i) {
			continue
		}
		s.seen[step] = s.round // a loop over nothing comes here again, and gets nowhere
		switch in := &s.steps[step]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			s.stack = append(s.stack, in.Arg, in.Out)
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			s.stack = append(s.stack, in.Out)
		default:
			return step
		}
	}
	return s.match
}

// decode takes the characters of a text from first on; a byte that begins none is one.
func (s *search) decode(text []byte, first int) {
	s.runes, s.places, s.before = s.runes[:0], s.places[:0], -1
	if first > 0 {
		s.before, _ = utf8.DecodeLastRune(text[:first])
	}
	for at := first; at < len(text); {
		r, n := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[at:])
		}
		s.runes, s.places = append(s.runes, r), append(s.places, at)
		at += n
	}
	s.places = append(s.places, len(text))
}

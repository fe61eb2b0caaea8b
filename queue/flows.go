package queue

// expected is as how many turns of the mean length a state is held to before any
// are seen in it: what is rare is not known from a few.
const expected = 8

// uneven is by how much turns look slower among many when they are not, for each
// unit of their squared coefficient of variation: the long ones are who is there.
const uneven = 1. / 20

// rates is how many turns end per second while 1, 2 … are here, of which c run, or
// one less where it is left free for others. Where a turn is about as fast beside
// others as alone, they are those of independent servers. Else they are as they were
// seen: a state is entered from below as often as it is left downwards, so that the
// mean numbers of those who run and wait come out as they were, however turns slow
// each other down and however even they are. Of long lines too few were seen: for
// them stands what all servers did.
func rates(states []state, services moments, c int) (all, free []float64, independent bool) {
	usual := state{ends: expected, seconds: expected * services.mean()} // a server's, before it is known
	var some state                                                      // a server's beside idle ones
	for i := range c - 1 {
		seen := usual
		if i < len(states) {
			seen = seen.and(states[i].of(i + 1))
		}
		some = some.and(seen)
		all = append(all, float64(i+1)*seen.rate())
	}
	full, busy := usual, state{} // a server's where all have work, and what all did there
	for i := c - 1; i < len(states); i++ {
		full, busy = full.and(states[i].of(c)), busy.and(states[i])
	}
	server := full.rate()
	independent = c == 1 || server > (1-min(uneven*services.variation(), 0.5))*some.rate()
	if independent {
		server = 1 / services.mean()
		for i := range all {
			all[i] = float64(i+1) * server
		}
	}
	last := (float64(c) - busy.idle()) * server
	likely := state{ends: expected, seconds: expected / last, free: expected / last * busy.idle()}
	for i := c - 1; i < len(states) && states[i].ends >= enough && (busy.free > 0 || !independent); i++ {
		here := states[i].and(likely)
		free = append(free, here.idle())
		if independent {
			all = append(all, (float64(c)-here.idle())*server)
		} else {
			all = append(all, here.rate())
		}
	}
	return append(all, last), append(free, busy.idle()), independent
}

// of is what each of so many servers did that were busy together.
func (s state) of(running int) state {
	return state{ends: s.ends, seconds: s.seconds*float64(running) - s.free}
}

func (s state) and(o state) state {
	return state{ends: s.ends + o.ends, seconds: s.seconds + o.seconds, free: s.free + o.free}
}

// rate is how many turns end per second.
func (s state) rate() float64 { return float64(s.ends) / s.seconds }

// idle is how many servers stand free in the mean.
func (s state) idle() float64 {
	if s.seconds <= 0 {
		return 0
	}
	return s.free / s.seconds
}

package queue

// few is how many may be refused or go away, as a part of what the servers could do
// besides, where the wait is still told from the rate of those who stay. At a 25th
// that was 7 % too much.
const few = 1. / 20

// held is the queue where more than few were refused or went away. They did because
// many were here, and that keeps the line short: no rate of arrivals tells how long
// it is, and where more come than can be served it would have no end. So this is what
// was seen of those who stayed, and no word about other rates: the mean wait is the
// one that was seen, and the length of the line follows from it by Little's law.
func held(seen *slot, lambda, length float64, c int) Model {
	m := Model{Servers: c, Idle: 1}
	if lambda <= 0 || length <= 0 {
		return m
	}
	for i, s := range seen.states {
		m.Idle -= s.seconds / length
		m.Utilization += (s.seconds*float64(min(i+1, c)) - s.free) / (length * float64(c))
	}
	m.Idle, m.Utilization = max(0, m.Idle), min(1, m.Utilization)
	m.Waits = float64(seen.waited) / float64(max(seen.waits.n, 1))
	m.Wait = seen.waits.mean()
	m.Length = m.Wait * lambda
	return m
}

package queue

import "math"

// scales is over how many lengths sums are looked at: 1, 2, 4 … in a row.
const scales = 10

// dispersion are the moments of sums of 2ⁱ values in a row. For independent
// values they say nothing new. Turns are not independent: a slow minute has many
// slow ones, which add up to a wait where single ones would even out.
type dispersion [scales]moments

// sums are those that are not complete.
type sums struct {
	part [scales]float64
	half [scales]bool
}

func (s *sums) add(x float64, to *dispersion) {
	for i := range scales {
		to[i].add(x)
		if s.half[i] = !s.half[i]; s.half[i] {
			s.part[i] = x
			return
		}
		x += s.part[i]
	}
}

func (d *dispersion) join(o *dispersion) {
	for i := range d {
		d[i].join(o[i])
	}
}

// enough is how many sums tell how much they vary.
const enough = 16

// over is the variance of sums of 2ⁱ values over the square of their mean, times
// 2ⁱ: the squared coefficient of variation, when the values are independent. Where
// too few sums were seen, the longest ones that were stand for them.
func (d *dispersion) over(i int) float64 {
	for ; i > 0 && d[i].n < enough; i-- {
	}
	return float64(int(1)<<i) * d[i].variation()
}

// variation is what has the place of ca² + cs² in the correction of Allen and
// Cunneen: their sum over as many requests in a row as decide the wait at this
// utilization, which are the more the busier the servers are. This is the robust
// queueing of Whitt and You: the wait is as long as the worst of all lengths makes
// it. For independent values it is ca² + cs².
func variation(arrivals, services *dispersion, utilization float64) float64 {
	drift := (1 - utilization) / utilization
	last := arrivals.over(0) + services.over(0)
	if last <= 2*drift*drift { // less than one in a row decides
		return last
	}
	worst := 0.0
	for i := range scales {
		here := arrivals.over(i) + services.over(i)
		for part := range 4 {
			between := float64(part) / 4
			n := math.Exp2(float64(i-1) + between)
			if i == 0 {
				n = 1
			}
			v := last + (here-last)*between
			worst = max(worst, math.Sqrt(2*n*v)-n*drift)
		}
		last = here
	}
	n := math.Exp2(scales - 1)
	if n*2*drift*drift < last { // longer than the longest
		n = last / (2 * drift * drift)
	}
	worst = max(worst, math.Sqrt(2*n*last)-n*drift)
	return 2 * drift * worst
}

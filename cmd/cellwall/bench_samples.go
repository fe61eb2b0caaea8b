package main

import "time"

// samples are times of one kind, gathered in turns with those of another.
type samples struct {
	each []time.Duration
	in   time.Duration // which they were gathered in
}

func (s *samples) add(each []time.Duration, in time.Duration) {
	s.each, s.in = append(s.each, each...), s.in+in
}

func (s *samples) perSecond() float64 { return float64(len(s.each)) / max(s.in.Seconds(), 1e-9) }

func (f *figures) httpLoad(limit, product samples) {
	f.rows = append(f.rows, row{"http, 8 at once", limit.each, product.each})
	f.set("http_throughput_8_per_s", product.perSecond())
	f.set("http_throughput_ratio_8", product.perSecond()/limit.perSecond())
}

func (f *figures) httpOverload(peak, goodput, refused samples) {
	f.rows = append(f.rows, row{"http at twice the capacity", nil, goodput.each}, row{"  and refused", nil, refused.each})
	f.set("http_goodput_2x", goodput.perSecond()/peak.perSecond())
	f.set("http_refused_2x_per_s", refused.perSecond())
	if len(refused.each) > 0 {
		f.set("http_refused_ms", ms(median(refused.each)))
		f.set("http_refused_p99_ms", ms(quantile(refused.each, 0.99)))
	}
}

func (f *figures) httpQuiet(alone, beside samples) {
	f.rows = append(f.rows, row{"http, quiet: alone, beside a flood", alone.each, beside.each})
	f.set("http_quiet_ratio", ratio(median(beside.each), median(alone.each)))
	f.set("http_quiet_p99_ratio", ratio(quantile(beside.each, 0.99), quantile(alone.each, 0.99)))
}

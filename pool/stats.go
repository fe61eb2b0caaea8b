package pool

// Counts grow over the life of a pool.
type Counts struct {
	Claimed     int64 // handed out
	Direct      int64 // of these, opened by the claim because none was ready
	Discarded   int64 // died while they waited
	Destroyed   int64 // closed, with or without an error
	Failed      int64 // opens that failed
	CloseFailed int64 // closes that failed
}

// Stats is a pool at one moment.
type Stats struct {
	Ready   int  // sandboxes waiting for a claim
	Target  int  // that are to be ready
	Filling int  // being opened ahead
	Closing int  // being closed in the background
	Paused  bool // the filler waits after a failure
	Counts
}

// Stats returns the pool's figures at this moment.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{
		Ready: len(p.ready), Target: p.target, Filling: p.filling, Closing: len(p.slots),
		Paused: p.pause != nil, Counts: p.counts,
	}
}

func (p *Pool) count(change func(*Counts)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.counts)
}

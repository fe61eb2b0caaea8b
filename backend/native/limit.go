package native

import (
	"context"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

// Limit is what the benchmark compares with: a twin of an environment's zygote
// – same start, same warm-up, same memory advice, same fork call – whose
// children run a program with no wall around them. It never serves a sandbox
// and is given the benchmark's own programs only.
type Limit struct {
	stem    *stem
	Ready   time.Duration // from nothing to the first fork
	Modules []string      // what it has imported, in order
	Driver  string        // the driver's directory on the host
}

// Limit starts the twin.
func (b *Backend) Limit(ctx context.Context, environment cellwall.Environment) (*Limit, error) {
	began := time.Now()
	s, err := b.startStem(ctx, environment, true, load{})
	if err != nil {
		return nil, err
	}
	return &Limit{stem: s, Ready: time.Since(began), Modules: s.modules, Driver: s.driver}, nil
}

type limitRequest struct {
	Source   string `json:"source"`
	Runs     int    `json:"runs"`
	Parallel int    `json:"parallel"`
}

type limitReply struct {
	TimesMS []float64 `json:"times_ms"`
	TotalMS float64   `json:"total_ms"`
	Error   string    `json:"error"`
}

// Measure forks runs children, parallel at once, and returns how long each
// took, from before its fork to its end as a pidfd told it, and all of them
// together.
func (l *Limit) Measure(source string, runs, parallel int) (each []time.Duration, all time.Duration, err error) {
	m, err := l.stem.call(msgLimit, 0, limitRequest{Source: source, Runs: runs, Parallel: parallel})
	if err != nil {
		return nil, 0, fmt.Errorf("measure limit: %w", err)
	}
	defer m.close()
	var reply limitReply
	if err := m.decode(&reply); err != nil {
		return nil, 0, err
	}
	if reply.Error != "" {
		return nil, 0, fmt.Errorf("measure limit: %s", reply.Error)
	}
	for _, ms := range reply.TimesMS {
		each = append(each, time.Duration(ms*float64(time.Millisecond)))
	}
	return each, time.Duration(reply.TotalMS * float64(time.Millisecond)), nil
}

// Close ends the twin.
func (l *Limit) Close() { l.stem.close() }

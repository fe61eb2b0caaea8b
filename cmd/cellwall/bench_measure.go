package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// rounds is how often limit and product alternate in a latency figure; each
// takes perRound samples a time.
const (
	rounds   = 20
	perRound = 5
)

// latency measures one run at a time from a filled pool.
func (b *bench) latency(ctx context.Context) error {
	for _, p := range [...]struct{ name, code string }{
		{"trivial", programTrivial}, {"groupby", programGroupby}, {"unwarmed", programUnwarmed},
	} {
		var limit, product []time.Duration
		for range rounds {
			if err := b.filled(ctx); err != nil { // the limit, too, has the machine for itself
				return err
			}
			each, _, err := b.limit.Measure(p.code, perRound, 1)
			if err != nil {
				return err
			}
			limit = append(limit, each...)
			for range perRound {
				if err := b.filled(ctx); err != nil {
					return err
				}
				took, err := b.execute(ctx, b.house, p.code)
				if err != nil {
					return err
				}
				product = append(product, took)
			}
		}
		b.figures.latency(p.name, limit, product)
	}
	return nil
}

// emptyPool measures a run that has to open its sandbox first.
func (b *bench) emptyPool(ctx context.Context) error {
	if _, err := b.execute(ctx, b.cold, programGroupby); err != nil { // warms the second house's zygote
		return err
	}
	var limit, product []time.Duration
	for range rounds {
		if err := b.filled(ctx); err != nil {
			return err
		}
		each, _, err := b.limit.Measure(programGroupby, perRound, 1)
		if err != nil {
			return err
		}
		limit = append(limit, each...)
		for range perRound {
			took, err := b.execute(ctx, b.cold, programGroupby)
			if err != nil {
				return err
			}
			product = append(product, took)
		}
	}
	b.figures.latency("empty_pool", limit, product)
	return nil
}

// burst measures how long a hundred sandboxes take that are wanted at once and
// not there.
func (b *bench) burst(ctx context.Context) error {
	const wanted, repeats = 100, 3
	var took []time.Duration
	for range repeats {
		began := time.Now()
		sandboxes := make([]cellwall.Sandbox, wanted)
		err := together(wanted, func(i int) (err error) {
			sandboxes[i], err = b.cold.backend.Open(ctx, cellwall.Spec{Environment: b.env, Limits: cellwall.DefaultLimits()})
			return err
		})
		took = append(took, time.Since(began))
		err = errors.Join(err, together(wanted, func(i int) error {
			if sandboxes[i] == nil {
				return nil
			}
			return sandboxes[i].Close()
		}))
		if err != nil {
			return err
		}
	}
	b.figures.burst(took)
	return nil
}

// together calls f with 0 to n-1 at once and joins the errors.
func together(n int, f func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// slice is how long limit and product alternate under load.
const slice = 5 * time.Second

// load measures throughput and the slowest runs with n at once, for long
// enough that sandboxes made ahead do not flatter it.
func (b *bench) load(ctx context.Context, n int) error {
	var limitEach, productEach []time.Duration
	var limitTime, productTime time.Duration
	batch := max(50, n)
	for spent := time.Duration(0); spent < b.verb.Load; spent += slice {
		if err := b.filled(ctx); err != nil {
			return err
		}
		for part := time.Duration(0); part < slice; {
			each, all, err := b.limit.Measure(programGroupby, batch, n)
			if err != nil {
				return err
			}
			limitEach, limitTime, part = append(limitEach, each...), limitTime+all, part+all
			batch = max(n, int(float64(batch)*float64(slice)/float64(all)/2))
		}
		each, all, err := b.hammer(ctx, n)
		if err != nil {
			return err
		}
		productEach, productTime = append(productEach, each...), productTime+all
	}
	if b.verb.Load == 0 {
		return nil
	}
	b.figures.load(n, limitEach, limitTime, productEach, productTime)
	return nil
}

// hammer keeps n executions under way for one slice.
func (b *bench) hammer(ctx context.Context, n int) ([]time.Duration, time.Duration, error) {
	var mu sync.Mutex
	var each []time.Duration
	began := time.Now()
	err := together(n, func(int) error {
		for time.Since(began) < slice {
			took, err := b.execute(ctx, b.house, programGroupby)
			if err != nil {
				return err
			}
			mu.Lock()
			each = append(each, took)
			mu.Unlock()
		}
		return nil
	})
	return each, time.Since(began), err
}

// quantile returns the q-quantile of samples, which it sorts.
func quantile(samples []time.Duration, q float64) time.Duration {
	if len(samples) == 0 {
		return 0
	}
	slices.Sort(samples)
	return samples[min(len(samples)-1, int(q*float64(len(samples))))]
}

func median(samples []time.Duration) time.Duration { return quantile(samples, 0.5) }

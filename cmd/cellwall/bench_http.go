package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cellwall/cellwall/cmd/cellwall/load"
)

// refill is how long the service is left alone before a call that is measured by
// itself: its sandboxes are made again by then.
const refill = 40 * time.Millisecond

// service measures the service: a caller in a process of its own, by HTTP and with
// a key through TCP, the record, the stored Result and the audit entry included.
func (b *bench) service(ctx context.Context) (err error) {
	s, err := b.openService(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, step := range []func(context.Context, *benchService) error{b.httpWarm, b.httpLatency, b.httpThroughput, b.httpOverload, b.httpQuiet} {
		if err := step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// The tenants of the service.
const (
	loud = iota
	quiet
)

// calls is a stream of a tenant that runs code.
func (s *benchService) calls(tenant int, code string, how load.Stream) load.Stream {
	body, _ := json.Marshal(map[string]string{"code": code}) // a string always encodes
	how.Key, how.Body = s.keys[tenant], string(body)
	return how
}

// ask has the load run streams, none of whose calls may come to anything but an
// answer or a refusal.
func (s *benchService) ask(ctx context.Context, streams ...load.Stream) ([]load.Saw, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	seen, err := s.load.Run(load.Order{URL: s.url, Streams: streams})
	if err != nil {
		return nil, err
	}
	for _, saw := range seen {
		for what, n := range saw.Other {
			return nil, fmt.Errorf("%d calls came to: %s", n, what)
		}
	}
	return seen, nil
}

// httpWarm lets the service get warm: its zygote forks as soon as it can, and gets
// better at it while nobody asks.
func (b *bench) httpWarm(ctx context.Context, s *benchService) error {
	for range 2 {
		if _, err := s.ask(ctx, s.calls(loud, programGroupby, load.Stream{Runs: perRound, Pause: refill})); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}

// httpLatency measures one call at a time.
func (b *bench) httpLatency(ctx context.Context, s *benchService) error {
	for _, p := range [...]struct{ name, code string }{{"http_trivial", programTrivial}, {"http", programGroupby}} {
		var limit, product []time.Duration
		for range rounds {
			each, _, err := b.limit.Measure(p.code, perRound, 1)
			if err != nil {
				return err
			}
			seen, err := s.ask(ctx, s.calls(loud, p.code, load.Stream{Runs: perRound, Pause: refill}))
			if err != nil {
				return err
			}
			limit, product = append(limit, each...), append(product, seen[0].OK...)
			time.Sleep(refill)
		}
		b.figures.latency(p.name, limit, product)
	}
	return nil
}

// httpThroughput measures eight callers at once.
func (b *bench) httpThroughput(ctx context.Context, s *benchService) error {
	var limit, product samples
	batch := 50
	for spent := time.Duration(0); spent < b.verb.Load; spent += slice {
		for part := time.Duration(0); part < slice; {
			each, all, err := b.limit.Measure(programGroupby, batch, 8)
			if err != nil {
				return err
			}
			limit.add(each, all)
			part += all
			batch = max(8, int(float64(batch)*float64(slice)/float64(all)/2))
		}
		seen, err := s.ask(ctx, s.calls(loud, programGroupby, load.Stream{Callers: 8, For: slice}))
		if err != nil {
			return err
		}
		product.add(seen[0].OK, seen[0].Took)
		time.Sleep(refill)
	}
	if b.verb.Load > 0 {
		b.figures.httpLoad(limit, product)
	}
	return nil
}

// httpOverload measures what is left of the throughput when calls come twice as
// fast as they can be served, in turns with the throughput itself, and how fast
// the others are turned away.
func (b *bench) httpOverload(ctx context.Context, s *benchService) error {
	var peak, goodput, refused samples
	for spent := time.Duration(0); spent < b.verb.Load; spent += slice {
		seen, err := s.ask(ctx, s.calls(loud, programGroupby, load.Stream{Callers: 8, For: slice}))
		if err != nil {
			return err
		}
		peak.add(seen[0].OK, seen[0].Took)
		b.capacity = peak.perSecond()
		over, err := s.ask(ctx, s.calls(loud, programGroupby, load.Stream{PerSecond: 2 * b.capacity, For: overload}))
		if err != nil {
			return err
		}
		goodput.add(over[0].OK[:over[0].Done], overload)
		refused.add(over[0].Refused, overload)
	}
	if b.verb.Load > 0 {
		b.figures.httpOverload(peak, goodput, refused)
	}
	return nil
}

// overload is for how long calls come too fast: the line in front of the
// sandboxes is full after a third of it.
const overload = 8 * time.Second

// httpQuiet measures a tenant that calls now and then, by itself and beside one
// that floods the service, in turns.
func (b *bench) httpQuiet(ctx context.Context, s *benchService) error {
	var alone, beside samples
	for spent := time.Duration(0); spent < b.verb.Load; spent += slice {
		calm := s.calls(quiet, programGroupby, load.Stream{For: slice, Pause: refill})
		seen, err := s.ask(ctx, calm)
		if err != nil {
			return err
		}
		alone.add(seen[0].OK, slice)
		calm.For = overload
		if seen, err = s.ask(ctx, calm, s.calls(loud, programGroupby, load.Stream{PerSecond: 2 * b.capacity, For: overload})); err != nil {
			return err
		}
		if n := len(seen[0].Refused); n > 0 {
			return fmt.Errorf("%d calls of the quiet tenant were refused", n)
		}
		beside.add(seen[0].OK, overload)
	}
	if b.verb.Load > 0 {
		b.figures.httpQuiet(alone, beside)
	}
	return nil
}

package prepared

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/cellwall/cellwall"
)

// start has a template of d made, unless one is there, on its way, or has failed
// for good, and returns what is closed when that is over; nil when nothing was
// begun. s.mu is held.
func (s *Set) start(d *dataset, spec cellwall.Spec) chan struct{} {
	lasting := d.failure != nil && (cellwall.CodeOf(d.failure) == cellwall.CodeDatasetUnreadable || time.Now().Before(d.retry))
	if s.closed || d.flight != nil || d.template.Name != "" || lasting || s.waiting > maxWaiting {
		return d.flight
	}
	inputs, err := duplicate(spec.Inputs)
	if err != nil {
		d.failure, d.retry = err, time.Now().Add(retryAfter)
		return nil
	}
	spec.Inputs, spec.Session, spec.Ahead, spec.Template = inputs, false, false, ""
	spec.Limits = roomier(spec.Limits.WithDefaults(), d.took)
	flight := make(chan struct{})
	d.flight = flight
	s.waiting++
	s.work.Go(func() {
		defer closeInputs(inputs)
		made, err := s.make(spec)
		s.landed(d, made, err)
		close(flight)
	})
	return flight
}

// roomier are the limits of a parse whose columns are written beside what was
// parsed. It is ended when it takes far longer than it did in place.
func roomier(l cellwall.Limits, took time.Duration) cellwall.Limits {
	most := cellwall.MaxLimits()
	l.MemoryBytes = min(2*l.MemoryBytes, most.MemoryBytes)
	l.Timeout = min(l.Timeout+4*took, most.Timeout)
	return l
}

// make waits for a turn and has the template made.
func (s *Set) make(spec cellwall.Spec) (cellwall.Template, error) {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-s.ctx.Done():
		return cellwall.Template{}, s.ctx.Err()
	}
	began := time.Now()
	made, err := s.opts.Backend.Prepare(s.ctx, spec)
	if err != nil {
		return made, err
	}
	s.opts.Logger.Info("prepare dataset", "template", made.Name, "tenant", spec.Identity.Tenant, "bytes", made.Bytes, "took", time.Since(began))
	if made.Bytes > s.opts.TenantBytes {
		s.forget(made)
		return cellwall.Template{}, refuse(cellwall.CodeDatasetUnreadable,
			fmt.Errorf("it takes %d MiB of memory, more than %d", made.Bytes>>20, s.opts.TenantBytes>>20), "")
	}
	return made, nil
}

// landed keeps what was made, or why it was not, and makes room.
func (s *Set) landed(d *dataset, made cellwall.Template, err error) {
	s.mu.Lock()
	s.waiting--
	d.flight, d.failure = nil, err
	var ended []cellwall.Template
	switch {
	case errors.Is(err, context.Canceled):
		d.failure = nil
	case err != nil:
		s.counts.Failed++
		d.retry = time.Now().Add(retryAfter)
		s.opts.Logger.Warn("prepare dataset", "tenant", d.key.tenant, "error", err)
	case d.dropped:
		ended = append(ended, made)
	default:
		s.counts.Made++
		d.template, d.used = made, time.Now()
		d.idle = time.AfterFunc(s.opts.Idle, func() { s.expire(d, made.Name) })
		ended = s.makeRoom(d)
	}
	s.mu.Unlock()
	s.forget(ended...)
}

// expire ends a template that nobody used for too long, and looks again later at
// one that somebody did.
func (s *Set) expire(d *dataset, name string) {
	s.mu.Lock()
	var ended cellwall.Template
	if d.template.Name == name {
		if left := s.opts.Idle - time.Since(d.used); left > 0 {
			d.idle.Reset(left)
		} else {
			s.counts.Expired++
			ended = d.clear()
			delete(s.known, d.key) // it begins anew
		}
	}
	s.mu.Unlock()
	s.forget(ended)
}

// duplicate returns inputs with descriptors of our own: the caller closes his
// when his run is over.
func duplicate(inputs []cellwall.Input) ([]cellwall.Input, error) {
	own := make([]cellwall.Input, 0, len(inputs))
	for _, in := range inputs {
		syscall.ForkLock.RLock()
		fd, err := syscall.Dup(in.FD)
		if err == nil {
			syscall.CloseOnExec(fd)
		}
		syscall.ForkLock.RUnlock()
		if err != nil {
			closeInputs(own)
			return nil, fmt.Errorf("keep input %s open: %w", in.Name, err)
		}
		in.FD = fd
		own = append(own, in)
	}
	return own, nil
}

func closeInputs(inputs []cellwall.Input) {
	for _, in := range inputs {
		_ = syscall.Close(in.FD) // opened for reading: nothing can be lost
	}
}

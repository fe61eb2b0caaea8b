package native

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"syscall"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
)

// Run implements cellwall.Sandbox.
func (s *sandbox) Run(ctx context.Context, code cellwall.Code, sink cellwall.Sink) (cellwall.End, error) {
	if err := checkCode(code); err != nil {
		return cellwall.End{}, err
	}
	if !s.used.CompareAndSwap(false, true) {
		return cellwall.End{}, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "run code", Err: errors.New("this sandbox was used already"),
		}
	}
	r := newRun(ctx, s, code, sink)
	r.base.usage = s.idle
	r.takeCalls(code, func(reply []byte) error { return guest.WriteFrame(s.channel, guest.KindReply, reply) })
	started := time.Now()
	if err := r.send(code); err != nil {
		// Without the whole frame the interpreter runs nothing.
		return cellwall.End{}, fmt.Errorf("send code: %w", s.unsent(err))
	}
	r.calls.begin(s.channel)
	r.read() // it also tells that the run has started: nothing here waits for the sink
	why := r.wait(code.Timeout, s.limits.Timeout)
	r.calls.end(s.channel)
	err := s.quiet()
	wall := time.Since(started) // not what a slow reader adds
	r.finish()                  // whatever happened: nobody may deliver after Run has returned
	if err != nil {
		return cellwall.End{}, err
	}
	found, err := r.evidence(why)
	if err != nil {
		return cellwall.End{}, err
	}
	status, cause := verdict(found)
	usage, _ := r.measure(wall)
	return cellwall.End{Status: status, Cause: cause, Usage: usage, Met: reached(found), Refused: r.refusals()}, nil
}

// send writes the one frame that carries what a user or model wrote.
func (r *run) send(code cellwall.Code) error {
	payload, err := json.Marshal(guest.Run{
		Execution: code.Execution, Source: code.Source, File: cmp.Or(code.File, "<cell>"), Inputs: orEmpty(r.s.inputs),
		Rows: cmp.Or(code.Rows, r.s.limits.Rows), Sample: "random", Describe: code.Describe, Export: r.s.exports, Env: withProcessors(code.Env, r.s.limits.CPUs),
		Tools:    toolsOf(code.Functions),
		Restrict: restriction(code),
		Own:      r.s.own(code),
	})
	if err != nil {
		return fmt.Errorf("encode run: %w", err)
	}
	_ = r.s.channel.SetWriteDeadline(time.Now().Add(r.s.backend.helloTimeout)) // the run's own time begins after it
	return guest.WriteFrame(r.s.channel, guest.KindRun, payload)
}

// own is what a program of ours is told, nil for another.
func (s *sandbox) own(code cellwall.Code) *guest.Own {
	if !code.Own {
		return nil
	}
	return &guest.Own{Memory: s.limits.MemoryBytes}
}

// restriction is that of the code, for the driver; nil = none.
func restriction(code cellwall.Code) json.RawMessage {
	if code.Restrict == nil {
		return nil
	}
	said, _ := json.Marshal(code.Restrict) // lists and maps of text always can
	return said
}

// withProcessors adds how many processors there are for joblib, which would
// count those of the host and start as many workers.
func withProcessors(env map[string]string, cpus float64) map[string]string {
	all := map[string]string{"LOKY_MAX_CPU_COUNT": strconv.Itoa(max(1, int(cpus)))}
	maps.Copy(all, env)
	return all
}

// unsent says why a frame could not be written. A channel that nobody reads has
// lost its interpreter, whoever has heard of it so far.
func (s *sandbox) unsent(err error) error {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("%w: %w", cellwall.ErrSandboxGone, err)
	}
	return s.unreached(err)
}

func orEmpty(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}

// wait returns why the run is over.
func (r *run) wait(timeouts ...time.Duration) stop {
	limit := time.Duration(0)
	for _, t := range timeouts {
		if t > 0 && (limit == 0 || t < limit) {
			limit = t
		}
	}
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	defer r.s.backend.serve(r.s.group, r.precedence)()
	look := time.NewTicker(starvedLook)
	defer look.Stop()
	for {
		select {
		case why := <-r.over:
			return why
		case <-r.exit.told:
			return stopEnd
		case <-deadline.C:
			return stopDeadline
		case <-r.ctx.Done():
			return stopCancelled
		case <-r.s.stem.gone:
			return stopEnd
		case <-look.C:
			if r.starved() {
				return stopEnd
			}
		}
	}
}

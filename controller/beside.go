package controller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cellwall/cellwall"
)

// Beside opens a session with the live state of this one, in a sandbox of its own:
// two that know nothing of each other from then on. What passes from one to the
// other is bytes of hostile origin, which nobody reads on the way. Returned is what
// did not come along. Without an Opened the Result says how its beginning ended, as
// that of Open does; one that did not end ok is none.
func (o *Opened) Beside(ctx context.Context, s Session) (*Opened, []cellwall.Notice, *cellwall.Result, error) {
	const op = "open session beside another"
	from, ok := o.sandbox.(cellwall.Exporter)
	if !ok {
		return nil, nil, nil, &cellwall.Error{
			Code: cellwall.CodeProtectionMissing, Op: op, Err: errors.New("this backend cannot carry a state"),
		}
	}
	type packed struct {
		lost []cellwall.Notice
		err  error
	}
	state, to := io.Pipe()
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan packed, 1)
	go func() {
		lost, err := from.Export(inside, to)
		to.CloseWithError(err)
		done <- packed{lost, err}
	}()
	req := o.req
	req.Datasets = o.inputs
	branch, notices, result, err := o.c.open(ctx, req, s, state)
	stands := err == nil && branch != nil && result.OK
	if stands {
		// It reads no further than the state goes, and its origin has still to say what of
		// it was lost: broken off there, a branch that stands would be a failure.
		defer time.AfterFunc(lastWord, cancel).Stop()
		_, _ = io.Copy(io.Discard, state) // the writer's end says what was wrong
	}
	state.CloseWithError(errUnread)
	if !stands {
		cancel()
	}
	source := <-done
	switch {
	case source.err != nil && !errors.Is(source.err, errUnread):
		err = fmt.Errorf("%s: %w", op, source.err)
	case stands:
		branch.settle(ctx) // the origin has delivered what came along
		branch.datasets = o.datasets
		result.Datasets = o.datasets
		return branch, append(append(source.lost, o.changed(branch)...), losses(notices)...), result, nil
	}
	if branch != nil {
		branch.Close()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return nil, nil, result, nil
}

// lastWord is how long the origin may take to say what was lost, behind the state.
const lastWord = 10 * time.Second

// errUnread says that nobody reads a state any more: its reader's answer tells why.
var errUnread = errors.New("nobody reads the state")

// losses are those notices that name what did not arrive.
func losses(all []cellwall.Notice) (lost []cellwall.Notice) {
	for _, n := range all {
		if strings.HasPrefix(n.Code, "lost_") {
			lost = append(lost, n)
		}
	}
	return lost
}

// changed names the inputs that are not any more what they were when this session
// began: their owner has written to them.
func (o *Opened) changed(now *Opened) []cellwall.Notice {
	before, err := o.digests.wait()
	after, again := now.digests.wait()
	if err != nil || again != nil {
		return nil // a digest that failed has failed the execution
	}
	var names []string
	for i := range min(len(before), len(after)) {
		if before[i].SHA256 != after[i].SHA256 {
			names = append(names, before[i].Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []cellwall.Notice{{Code: cellwall.LostInputs, Args: map[string]string{
		"count": strconv.Itoa(len(names)), "names": strings.Join(names, ", "),
	}}}
}

// duplicates are inputs with descriptors that live as long as the session: the
// caller's may be closed when Open has returned.
func duplicates(inputs []cellwall.Input) ([]cellwall.Input, error) {
	var all []cellwall.Input
	for _, in := range inputs {
		syscall.ForkLock.RLock()
		fd, err := syscall.Dup(in.FD)
		if err == nil {
			syscall.CloseOnExec(fd)
		}
		syscall.ForkLock.RUnlock()
		if err != nil {
			closeInputs(all)
			return nil, fmt.Errorf("keep input %s: %w", in.Name, err)
		}
		in.FD = fd
		all = append(all, in)
	}
	return all, nil
}

func closeInputs(inputs []cellwall.Input) {
	for _, in := range inputs {
		_ = syscall.Close(in.FD)
	}
}

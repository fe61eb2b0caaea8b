package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
)

// Export implements cellwall.Exporter. The newest snapshot forks an interpreter
// for nothing else, in a cage of its own: code of cells that runs while their
// values are pickled changes nothing in the live state, and what that takes is
// gone afterwards.
func (s *session) Export(ctx context.Context, w io.Writer) ([]cellwall.Notice, error) {
	const op = "export session"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	n, err := s.standing()
	if err != nil {
		return nil, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: op, Err: err, Hint: "its live state needs a checkpoint: free memory in a cell, or go back",
		}
	}
	m, lost, err := s.clerk(n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	defer m.leave()
	more, err := s.written(ctx, m.channel, w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	return append(lost, more...), nil
}

// standing is the checkpoint of the live state, which is taken now where that was
// put off.
func (s *session) standing() (*node, error) {
	switch s.prune(); {
	case s.cages == nil:
		return nil, errors.New("this host can keep no checkpoint")
	case !s.begun:
		return nil, errors.New("the session has not begun")
	case s.tree.live != nil && s.tree.live.count == s.count:
		return s.tree.live, nil
	case s.tooLarge():
		return nil, errors.New("the state leaves no room for one")
	}
	if err := s.keep(s.ran); err != nil {
		return nil, err
	}
	return s.tree.live, nil
}

// clerk is an interpreter that writes the state down and ends.
type clerk struct {
	*member
	leave func()
}

// clerk has a snapshot fork one. It has the limits that the session has.
func (s *session) clerk(n *node) (*clerk, []cellwall.Notice, error) {
	cage, err := s.cages.open(s.backend.groupLimits(s.limits))
	if err != nil {
		return nil, nil, err
	}
	b := s.bear(n, false)
	<-b.done
	if err = b.err; err == nil {
		err = cage.MoveIn(b.live.pid)
	}
	if err != nil {
		s.abort(b)
		s.give(cage)
		return nil, nil, err
	}
	b.shut()
	return &clerk{member: b.live, leave: func() {
		b.live.discard()
		s.give(cage)
	}}, b.lost, nil
}

// written has the interpreter behind a channel write its state, and passes it on.
func (s *session) written(ctx context.Context, channel *net.UnixConn, w io.Writer) ([]cellwall.Notice, error) {
	from, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer from.Close()
	err = ask(channel, guest.KindExport, guest.Export{}, theirs)
	theirs.Close()
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() {
		_ = from.SetReadDeadline(time.Unix(1, 0))
		_ = channel.SetReadDeadline(time.Unix(1, 0))
	})()
	most := s.limits.MemoryBytes + s.limits.WorkspaceBytes
	passed, err := io.Copy(w, io.LimitReader(from, most+1))
	switch {
	case err != nil:
		return nil, errors.Join(ctx.Err(), err)
	case passed > most:
		return nil, &cellwall.Error{
			Code: cellwall.CodeTooLarge, Op: "pass state on", Err: fmt.Errorf("it is more than %d bytes", most),
		}
	}
	kind, payload, err := guest.NewReader(channel).Next()
	if err != nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("it ended before it was done: %w", err))
	}
	var said guest.Written
	if kind != guest.KindWritten {
		return nil, fmt.Errorf("%w: frame %q in place of %q", guest.ErrProtocol, byte(kind), byte(guest.KindWritten))
	}
	if err := guest.Decode(payload, &said); err != nil {
		return nil, err
	}
	if said.Error != "" {
		return nil, &cellwall.Error{Code: cellwall.CodeConflict, Op: "pack state", Err: errors.New(clip(said.Error))}
	}
	return told(said.Lost), nil
}

// feed sends the frame of a beginning, and behind it the state of another session
// for as long as somebody reads it.
func (s *session) feed(c *cell) error {
	theirs, to, err := os.Pipe()
	if err != nil {
		return err
	}
	if err = s.speech.settle(s.channel); err == nil {
		err = ask(s.channel, c.kind, c.message, theirs)
	}
	theirs.Close()
	if err != nil {
		to.Close()
		return err
	}
	c.feeding = to
	go func() { // it ends with the cell, or with what it reads from, see cellwall.Code
		_, _ = io.Copy(to, c.state) // what does not arrive whole is refused inside
		to.Close()
	}()
	return nil
}

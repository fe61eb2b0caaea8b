package native

import (
	"bytes"
	"io"
	"net"

	"github.com/cellwall/cellwall/guest"
)

// speech is what is under way on the channel of the live interpreter. Who asks does
// not wait for ever: half a frame that was written is written to its end before
// the next one, and half a frame that was read is read on.
type speech struct {
	owed  []byte // still to be written
	heard []byte // read of a frame that is not whole yet
}

// say writes one frame, behind what is owed.
func (s *speech) say(channel *net.UnixConn, kind guest.Kind, payload []byte) error {
	var frame bytes.Buffer
	if err := guest.WriteFrame(&frame, kind, payload); err != nil {
		return err
	}
	if err := s.settle(channel); err != nil {
		return err
	}
	n, err := channel.Write(frame.Bytes())
	if err != nil && n > 0 {
		s.owed = bytes.Clone(frame.Bytes()[n:])
	}
	return err
}

// settle writes what is owed.
func (s *speech) settle(channel *net.UnixConn) error {
	if len(s.owed) == 0 {
		return nil
	}
	n, err := channel.Write(s.owed)
	s.owed = s.owed[n:]
	return err
}

// listen returns a reader that begins with what was heard.
func (s *speech) listen(channel io.Reader) *listener {
	l := &listener{from: io.MultiReader(bytes.NewReader(s.heard), channel), speech: s}
	s.heard = nil
	return l
}

// listener remembers what it reads until it is told that a frame was whole.
type listener struct {
	from   io.Reader
	speech *speech
	read   []byte
}

func (l *listener) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	l.read = append(l.read, p[:n]...)
	return n, err
}

func (l *listener) whole() { l.read = l.read[:0] }

// keep leaves the rest to who listens next.
func (l *listener) keep() { l.speech.heard = bytes.Clone(l.read) }

package lineedit

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// source reads a terminal. A read that was begun cannot be taken back, so it
// happens in a goroutine of its own, and only when a key is wanted.
type source struct {
	want    chan struct{}
	got     chan chunk
	asked   bool // a read is under way
	pending []byte
	failed  error
}

type chunk struct {
	data []byte
	err  error
}

func newSource(in io.Reader) *source {
	s := &source{want: make(chan struct{}), got: make(chan chunk, 1)}
	go func() {
		for range s.want {
			buf := make([]byte, 4096)
			n, err := in.Read(buf)
			s.got <- chunk{buf[:n], err}
			if err != nil {
				return
			}
		}
	}()
	return s
}

// errLate says that nothing came within the patience.
var errLate = errors.New("no answer in time")

// fill waits for more bytes; patience 0 = without an end.
func (s *source) fill(ctx context.Context, patience time.Duration) error {
	if s.failed != nil {
		return s.failed
	}
	if !s.asked {
		s.want <- struct{}{}
		s.asked = true
	}
	var late <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case c := <-s.got:
		s.asked = false
		s.pending = append(s.pending, c.data...)
		if c.err != nil {
			s.failed = c.err
			var p *os.PathError // a terminal that hung up
			if errors.As(c.err, &p) {
				s.failed = io.EOF
			}
		}
		if len(c.data) == 0 {
			return s.failed
		}
		return nil
	case <-late:
		return errLate
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// char returns the next character. Bytes that are no UTF-8 are U+FFFD.
func (s *source) char(ctx context.Context) (rune, error) {
	for !utf8.FullRune(s.pending) {
		if err := s.fill(ctx, 0); err != nil {
			return 0, err
		}
	}
	r, n := utf8.DecodeRune(s.pending)
	s.pending = s.pending[n:]
	return r, nil
}

// next returns the next key.
func (s *source) next(ctx context.Context) (key, error) {
	r, err := s.char(ctx)
	if err != nil || r != 0x1b {
		return plainKey(r), err
	}
	if r, err = s.char(ctx); err != nil {
		return key{}, err
	}
	if r != '[' && r != 'O' {
		return escapedKey(r), nil
	}
	sequence := []rune{r}
	for len(sequence) < maxSequence {
		if r, err = s.char(ctx); err != nil {
			return key{}, err
		}
		sequence = append(sequence, r)
		if r >= 0x40 && r <= 0x7e {
			break
		}
	}
	if string(sequence) == "[200~" {
		return s.paste(ctx)
	}
	return key{kind: named[string(sequence)]}, nil
}

// maxSequence bounds an escape sequence that nobody ends.
const maxSequence = 32

// maxPaste is how much one paste may be, in bytes: more than any cell.
const maxPaste = 1 << 20

const pasteEnd = "\x1b[201~"

// paste reads up to the end of a paste. What exceeds the bound is let go.
func (s *source) paste(ctx context.Context) (key, error) {
	var text []byte
	for {
		at := bytes.Index(s.pending, []byte(pasteEnd))
		take := at
		if at < 0 {
			take = max(0, len(s.pending)-len(pasteEnd)+1) // the mark may have begun
		}
		text = append(text, s.pending[:min(take, maxPaste-len(text))]...)
		s.pending = s.pending[take:]
		if at >= 0 {
			s.pending = s.pending[len(pasteEnd):]
			return key{kind: paste, paste: strings.ToValidUTF8(string(text), "\ufffd")}, nil
		}
		if err := s.fill(ctx, 0); err != nil {
			return key{}, err
		}
	}
}

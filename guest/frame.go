package guest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits of the protocol.
const (
	Protocol    = 1
	MaxFrame    = 16 << 20  // bytes of one payload
	MaxFrames   = 10_000    // frames of one run
	MaxRunBytes = 64 << 20  // bytes of all payloads of one run
	MaxDepth    = 64        // nesting of a JSON payload
	MaxMembers  = 64        // types of a value, arguments of a notice, tables, datasets, losses
	MaxAnswers  = 1000      // variables and matches of an answer together
	MaxCall     = 320 << 10 // bytes of one call
	MaxCalls    = 8         // calls that are not answered yet
)

// Kind is the type of a frame.
type Kind byte

// The kinds of frames.
const (
	KindSetupFailed Kind = 'Q'
	KindHello       Kind = 'H'
	KindRun         Kind = 'R'
	KindValue       Kind = 'V'
	KindError       Kind = 'E'
	KindDatasets    Kind = 'D'
	KindTables      Kind = 'T'
	KindNotice      Kind = 'N'
	KindDone        Kind = 'Z'
	KindCall        Kind = 'C'
	KindReply       Kind = 'A'

	KindBegin    Kind = 'B'
	KindCell     Kind = 'X'
	KindTake     Kind = 'K'
	KindResume   Kind = 'G'
	KindAsk      Kind = 'Y'
	KindStanding Kind = 'S'
	KindUp       Kind = 'U'
	KindAnswer   Kind = 'J'
	KindExport   Kind = 'O'
	KindWritten  Kind = 'W'
)

// ErrProtocol is wrapped by every violation of the protocol.
var ErrProtocol = errors.New("guest broke the protocol")

const headerSize = 5

// WriteFrame writes one frame in a single Write.
func WriteFrame(w io.Writer, kind Kind, payload []byte) error {
	if len(payload) > MaxFrame {
		return fmt.Errorf("write frame: %d bytes are more than %d", len(payload), MaxFrame)
	}
	buf := make([]byte, headerSize, headerSize+len(payload))
	binary.BigEndian.PutUint32(buf, uint32(len(payload)))
	buf[4] = byte(kind)
	_, err := w.Write(append(buf, payload...))
	if err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

// Reader reads the frames of one run and counts them against the limits.
type Reader struct {
	r      io.Reader
	frames int
	bytes  int
}

// NewReader returns a Reader on r. It reads no more than it returns.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Next returns the next frame. io.EOF means a clean end between two frames;
// an end inside a frame is io.ErrUnexpectedEOF. The payload grows with what
// arrived, never with what the header promised.
func (r *Reader) Next() (Kind, []byte, error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return 0, nil, err
	}
	size := int(binary.BigEndian.Uint32(head[:4]))
	kind := Kind(head[4])
	if !fromGuest(kind) {
		return 0, nil, fmt.Errorf("%w: kind %q", ErrProtocol, byte(kind))
	}
	r.frames++
	r.bytes += size
	if size > MaxFrame || r.frames > MaxFrames || r.bytes > MaxRunBytes {
		return 0, nil, fmt.Errorf("%w: frame %d of %d bytes is over the limits", ErrProtocol, r.frames, size)
	}
	payload, err := readExactly(r.r, size)
	return kind, payload, err
}

// readExactly grows its buffer in steps, so that a promised length costs
// nothing until bytes arrive.
func readExactly(r io.Reader, size int) ([]byte, error) {
	const step = 64 << 10
	buf := make([]byte, 0, min(size, step))
	for len(buf) < size {
		n := min(size-len(buf), max(step, len(buf)))
		start := len(buf)
		buf = append(buf, make([]byte, n)...)
		if _, err := io.ReadFull(r, buf[start:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return buf, nil
}

func fromGuest(k Kind) bool {
	switch k {
	case KindSetupFailed, KindHello, KindValue, KindError, KindDatasets, KindTables, KindNotice, KindDone,
		KindCall, KindStanding, KindUp, KindAnswer, KindWritten:
		return true
	}
	return false
}

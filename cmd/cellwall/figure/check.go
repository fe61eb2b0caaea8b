package figure

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
)

// Bounds of what a terminal is handed.
const (
	MaxBytes  = 8 << 20
	MaxPixels = 32 << 20
	maxSide   = 16 << 10
)

// PNG is a picture that was checked.
type PNG struct {
	Bytes         []byte
	Width, Height int
}

const signature = "\x89PNG\r\n\x1a\n"

// kept are the chunks that make the picture. Every other chunk that a decoder
// must understand makes the picture one that is not shown.
var kept = []string{"IHDR", "PLTE", "tRNS", "IDAT", "IEND"}

// Check takes a PNG apart and returns it without what is not needed to see it.
func Check(raw []byte) (PNG, error) {
	var p PNG
	if len(raw) > MaxBytes {
		return p, fmt.Errorf("it has more than %d bytes", MaxBytes)
	}
	rest, ok := bytes.CutPrefix(raw, []byte(signature))
	if !ok {
		return p, errors.New("it is no PNG")
	}
	p.Bytes = append(make([]byte, 0, len(raw)), signature...)
	last := ""
	for last != "IEND" {
		if len(rest) < 12 {
			return p, errors.New("it ends too early")
		}
		n := int(binary.BigEndian.Uint32(rest))
		if n < 0 || n > len(rest)-12 {
			return p, errors.New("a chunk is longer than the file")
		}
		whole, kind, body := rest[:n+12], string(rest[4:8]), rest[8:8+n]
		rest = rest[n+12:]
		if crc32.ChecksumIEEE(whole[4:8+n]) != binary.BigEndian.Uint32(whole[8+n:]) {
			return p, fmt.Errorf("the chunk %q is damaged", kind)
		}
		if err := p.take(kind, last, body); err != nil {
			return p, err
		}
		if slices.Contains(kept, kind) {
			p.Bytes = append(p.Bytes, whole...)
			last = kind
		}
	}
	return p, nil
}

// take looks at one chunk; last is the one before it that was kept.
func (p *PNG) take(kind, last string, body []byte) error {
	critical := kind[0] >= 'A' && kind[0] <= 'Z'
	switch {
	case (kind == "IHDR") != (last == ""):
		return errors.New("its header is not where it has to be")
	case kind == "IHDR":
		return p.header(body)
	case kind == "IEND" && (last != "IDAT" || len(body) != 0):
		return errors.New("it has no pixels")
	case kind == "PLTE" && (last != "IHDR" || len(body) > 3*256), kind == "tRNS" && (last == "IDAT" || len(body) > 256):
		return fmt.Errorf("the chunk %s is not where it has to be, or too long", kind)
	case critical && !slices.Contains(kept, kind):
		return fmt.Errorf("the chunk %q is not known", kind)
	}
	return nil
}

func (p *PNG) header(body []byte) error {
	if len(body) != 13 {
		return errors.New("its header is damaged")
	}
	width, height := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
	if width == 0 || height == 0 || width > maxSide || height > maxSide || width*height > MaxPixels {
		return fmt.Errorf("%d × %d pixels are too many", width, height)
	}
	depth, color, compression, filter, interlace := body[8], body[9], body[10], body[11], body[12]
	if !slices.Contains([]byte{1, 2, 4, 8, 16}, depth) || !slices.Contains([]byte{0, 2, 3, 4, 6}, color) || compression|filter != 0 || interlace > 1 {
		return errors.New("its header is damaged")
	}
	p.Width, p.Height = int(width), int(height)
	return nil
}

package artifact

import "bytes"

// units passes the characters of a text on as bytes: it takes the mark of an
// encoding off, and of UTF-16 (or 32) every pair of bytes for one. What is not
// ASCII becomes one byte that is not.
type units struct {
	head  []byte // of what may be a mark
	known bool   // what the mark says
	wide  bool
	big   bool // the high byte comes first
	half  []byte
}

// next takes one byte of the text.
func (u *units) next(c byte, add func(byte)) {
	switch {
	case u.wide:
		u.pair(c, add)
	case u.known:
		add(c)
	default:
		u.head = append(u.head, c)
		u.decide(add)
	}
}

// decide looks for a mark, as soon as what came can be none or is one.
func (u *units) decide(add func(byte)) {
	marked := 0
	switch h := u.head; {
	case bytes.Equal(h, []byte{0xef, 0xbb, 0xbf}):
		u.known, marked = true, len(h)
	case bytes.Equal(h, []byte{0xff, 0xfe}):
		u.known, u.wide, marked = true, true, len(h)
	case bytes.Equal(h, []byte{0xfe, 0xff}), bytes.Equal(h, []byte{0, 0}): // the latter begins the mark of UTF-32
		u.known, u.wide, u.big, marked = true, true, true, len(h)
	case len(h) == 1 && bytes.IndexByte([]byte{0xef, 0xff, 0xfe, 0}, h[0]) >= 0, bytes.Equal(h, []byte{0xef, 0xbb}):
		return // more must be known
	default:
		u.known = true
	}
	for _, c := range u.head[marked:] {
		add(c)
	}
}

// pair takes half a character. NUL, with which UTF-32 fills up, and marks are
// passed over.
func (u *units) pair(c byte, add func(byte)) {
	if u.half = append(u.half, c); len(u.half) < 2 {
		return
	}
	high, low := u.half[1], u.half[0]
	if u.big {
		high, low = low, high
	}
	u.half = u.half[:0]
	switch {
	case high == 0 && low == 0, high == 0xfe && low == 0xff:
	case high == 0 && low < 0x80:
		add(low)
	default:
		add(0x80)
	}
}

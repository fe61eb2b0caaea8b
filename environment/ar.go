package environment

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	arMagic      = "!<arch>\n"
	arHeaderSize = 60
)

// arReader reads the members of an ar archive, the outer format of a .deb. It
// knows plain names of at most 16 bytes only, which is what a .deb has.
type arReader struct {
	r    *bufio.Reader
	body *io.LimitedReader // of the current member
	pad  bool              // a byte follows the current member
}

func newArReader(r io.Reader) (*arReader, error) {
	b := bufio.NewReader(r)
	magic := make([]byte, len(arMagic))
	if _, err := io.ReadFull(b, magic); err != nil || string(magic) != arMagic {
		return nil, errors.New("read archive: it is no ar archive")
	}
	return &arReader{r: b, body: &io.LimitedReader{R: b}}, nil
}

// next skips to the next member and returns its name and content. io.EOF ends
// the archive.
func (a *arReader) next() (string, io.Reader, error) {
	if err := a.skip(); err != nil {
		return "", nil, err
	}
	header := make([]byte, arHeaderSize)
	if _, err := io.ReadFull(a.r, header); err != nil {
		if errors.Is(err, io.EOF) {
			return "", nil, io.EOF
		}
		return "", nil, fmt.Errorf("read archive: truncated header: %w", err)
	}
	if !bytes.HasSuffix(header, []byte("`\n")) {
		return "", nil, errors.New("read archive: header without its end mark")
	}
	size, err := strconv.ParseUint(strings.TrimRight(string(header[48:58]), " "), 10, 40)
	if err != nil {
		return "", nil, fmt.Errorf("read archive: size of a member: %w", err)
	}
	name := strings.TrimSuffix(strings.TrimRight(string(header[:16]), " "), "/")
	a.body, a.pad = &io.LimitedReader{R: a.r, N: int64(size)}, size%2 == 1
	return name, a.body, nil
}

func (a *arReader) skip() error {
	rest := a.body.N
	if a.pad {
		rest, a.pad = rest+1, false
	}
	if n, err := io.CopyN(io.Discard, a.r, rest); err != nil {
		if errors.Is(err, io.EOF) && n == rest-1 && a.body.N == n {
			return nil // the pad byte after the last member may be missing
		}
		return fmt.Errorf("read archive: truncated member: %w", io.ErrUnexpectedEOF)
	}
	a.body.N = 0
	return nil
}

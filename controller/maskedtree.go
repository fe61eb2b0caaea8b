package controller

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"
)

// maskedTree is an output directory whose texts are delivered masked.
type maskedTree struct {
	fs.FS

	masking Masking
}

// maskTree returns the directory as the caller may have it.
func (x *execution) maskTree(tree fs.FS) fs.FS {
	if x.masking == nil {
		return tree
	}
	return maskedTree{tree, x.masking}
}

// Rewrite masks a text of this type while it is read. JSON is read first, within the
// limit of an artifact, to stay JSON.
func (t maskedTree) Rewrite(media string, content io.Reader) io.Reader {
	if strings.HasSuffix(media, "json") {
		return &maskedJSON{from: content, masking: t.masking}
	}
	return &maskedText{from: content, stream: t.masking.Stream(), piece: make([]byte, 32<<10)}
}

// maskedText masks while it is read.
type maskedText struct {
	from   io.Reader
	stream MaskedStream
	piece  []byte
	ready  []byte
	err    error // of from, once ready has been read
}

func (m *maskedText) Read(p []byte) (int, error) {
	for len(m.ready) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		var n int
		n, m.err = m.from.Read(m.piece)
		m.ready = m.stream.Push(m.piece[:n])
		if m.err != nil {
			m.ready = append(m.ready, m.stream.Flush()...)
		}
	}
	n := copy(p, m.ready)
	m.ready = m.ready[n:]
	return n, nil
}

// maskedJSON masks one or more values of JSON, and what is none as text.
type maskedJSON struct {
	from    io.Reader
	masking Masking
	masked  *bytes.Reader
}

func (m *maskedJSON) Read(p []byte) (int, error) {
	if m.masked == nil {
		raw, err := io.ReadAll(m.from)
		if err != nil {
			return 0, err
		}
		if values(raw) {
			raw = m.masking.JSON(raw, true)
		} else {
			raw = []byte(m.masking.Text(string(raw)))
		}
		m.masked = bytes.NewReader(raw)
	}
	return m.masked.Read(p)
}

// values reports whether raw is JSON, one value or several.
func values(raw []byte) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	for {
		var one json.RawMessage
		switch err := d.Decode(&one); {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return false
		}
	}
}

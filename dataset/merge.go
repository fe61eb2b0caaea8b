package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// ErrDescription is wrapped by every refusal of what a sandbox said.
var ErrDescription = errors.New("description of datasets is not acceptable")

// Merge decodes what a sandbox said about its inputs, in their order, and
// joins it with what is known of them. It never panics, whatever payload is.
func Merge(payload []byte, facts []cellwall.InputFact) ([]cellwall.Dataset, error) {
	said, err := decode(payload)
	if err != nil {
		return nil, err
	}
	if len(said) != len(facts) {
		return nil, fmt.Errorf("%w: %d descriptions of %d files", ErrDescription, len(said), len(facts))
	}
	for i := range said {
		if err := checkDataset(&said[i]); err != nil {
			return nil, fmt.Errorf("%w: file %d: %w", ErrDescription, i+1, err)
		}
		said[i].ID, said[i].Name = facts[i].ID, facts[i].Name
		said[i].Bytes, said[i].SHA256 = facts[i].Bytes, facts[i].SHA256
	}
	return said, nil
}

// minObject is less than any column takes: an empty object of three bytes
// becomes a hundred bytes in memory.
const minObject = 32

// objects counts the objects of a JSON document.
func objects(payload []byte) (n int) {
	inString := false
	for i := 0; i < len(payload); i++ {
		switch c := payload[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && c == '{':
			n++
		}
	}
	return n
}

// decode is strict about form; the sizes of strings and lists are bounded by
// the payload, which the protocol bounds.
func decode(payload []byte) ([]cellwall.Dataset, error) {
	if !utf8.Valid(payload) {
		return nil, fmt.Errorf("%w: not UTF-8", ErrDescription)
	}
	if n := objects(payload); n*minObject > len(payload) {
		return nil, fmt.Errorf("%w: %d objects in %d bytes", ErrDescription, n, len(payload))
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	var said []cellwall.Dataset
	if err := d.Decode(&said); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDescription, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows it", ErrDescription)
	}
	return said, nil
}

package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// ErrNotFound is the error of Find when there is no such record.
var ErrNotFound = errors.New("no record has this id")

// Find returns the line of the record of an id that was written at the time at or
// later. It reads the day's file: a look-up for a person, not for each request.
func (l *Log) Find(id string, at time.Time) (line []byte, err error) {
	needle := fmt.Appendf(nil, `"id":%q`, id)
	found := errors.New("found")
	err = l.Each(at, func(each []byte) error {
		if bytes.Contains(each, needle) {
			if _, entry, ok := parseLine(each); ok && idOf(entry) == id {
				line = each
				return found
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, found):
		return line, nil
	case err == nil:
		err = ErrNotFound
	}
	return nil, fmt.Errorf("find record %s: %w", id, err)
}

func sha256Hex(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

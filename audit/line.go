package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
)

// digest is the hash that chains a line to the one before.
type digest [sha256.Size]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes it in hex.
func (d digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads it from lower case hex.
func (d *digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) || bytes.ContainsAny(text, "ABCDEF") {
		return fmt.Errorf("%q is no hash", text)
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// link is a line's place in the chain.
type link struct {
	seq  uint64
	prev digest // hash of the line before; zero of the first one ever
	hash digest // over seq, prev and entry
}

// chain makes the link of entry behind before.
func chain(before link, entry []byte) link {
	l := link{seq: before.seq + 1, prev: before.hash}
	l.hash = l.sum(entry)
	return l
}

// sum is SHA-256 of "seq prev entry".
func (l link) sum(entry []byte) (d digest) {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s ", l.seq, l.prev)
	h.Write(entry)
	h.Sum(d[:0])
	return d
}

// appendLine writes entry, a JSON object, as a line with its link in front.
func (l link) appendLine(to, entry []byte) []byte {
	to = fmt.Appendf(to, `{"seq":%d,"prev":"%s","hash":"%s"`, l.seq, l.prev, l.hash)
	if !bytes.Equal(entry, []byte("{}")) {
		to = append(to, ',')
	}
	to = append(to, entry[1:]...)
	return append(to, '\n')
}

const (
	seqKey  = `{"seq":`
	prevKey = `,"prev":"`
	hashKey = `","hash":"`
)

// parseLine takes a whole line apart. It is false for one without a link: of an
// older version, or of somebody else.
func parseLine(line []byte) (l link, entry []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(seqKey))
	if !ok {
		return l, nil, false
	}
	digits := bytes.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 1 || digits > 1 && rest[0] == '0' {
		return l, nil, false
	}
	var err error
	if l.seq, err = strconv.ParseUint(string(rest[:digits]), 10, 64); err != nil {
		return l, nil, false
	}
	rest = rest[digits:]
	for _, field := range []struct {
		key string
		to  *digest
	}{{prevKey, &l.prev}, {hashKey, &l.hash}} {
		rest, ok = bytes.CutPrefix(rest, []byte(field.key))
		if !ok || len(rest) < 2*sha256.Size || field.to.UnmarshalText(rest[:2*sha256.Size]) != nil {
			return l, nil, false
		}
		rest = rest[2*sha256.Size:]
	}
	switch {
	case bytes.HasPrefix(rest, []byte(`",`)):
		entry = append([]byte("{"), rest[2:]...)
	case bytes.Equal(rest, []byte(`"}`)):
		entry = []byte("{}")
	default:
		return l, nil, false
	}
	return l, entry, json.Valid(entry)
}

// idOf is the id of an entry, "" when it has none.
func idOf(entry []byte) string {
	var e struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(entry, &e) // what has another shape has none
	return e.ID
}

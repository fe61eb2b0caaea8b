package fetch

import (
	"time"

	"github.com/cellwall/cellwall"
)

// Entry is the record of one fetch, of a refused one too.
type Entry struct {
	V        int                `json:"v"`    // 1
	Kind     string             `json:"kind"` // "fetch"
	ID       string             `json:"id"`
	Call     string             `json:"request_id,omitempty"` // filled in by the caller
	At       time.Time          `json:"at"`
	Identity cellwall.Identity  `json:"identity"`
	URL      string             `json:"url"`               // as it was asked for, at most 2,048 bytes
	Hops     []string           `json:"hops,omitempty"`    // as they were read
	Code     cellwall.ErrorCode `json:"code,omitempty"`    // why it was refused or failed; "" = it came
	Failure  string             `json:"failure,omitempty"` // as the caller was told
	Cause    string             `json:"cause,omitempty"`   // as only the operator is
	Bytes    int64              `json:"bytes,omitempty"`
	SHA256   string             `json:"sha256,omitempty"`
	Media    string             `json:"media,omitempty"`
	Cached   bool               `json:"cached,omitempty"`
	Dataset  string             `json:"dataset,omitempty"` // what it became; filled in by the caller
	Millis   int64              `json:"took_ms"`
}

func newEntry(ask Ask) Entry {
	return Entry{
		V: 1, Kind: "fetch", ID: cellwall.NewID(cellwall.PrefixFetch), At: time.Now().UTC(), Identity: ask.Who, URL: ask.URL[:min(len(ask.URL), maxURL)],
	}
}

// end says what came of it.
func (e *Entry) end(got *Fetched, err error) {
	e.Millis = time.Since(e.At).Milliseconds()
	if err != nil {
		e.Code, e.Failure, e.Cause = cellwall.CodeOf(err), err.Error(), causeOf(err)
		return
	}
	e.Bytes, e.SHA256, e.Media, e.Cached = got.Bytes, got.SHA256, got.Media, got.Cached
}

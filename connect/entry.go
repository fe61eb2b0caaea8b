package connect

import (
	"time"

	"github.com/cellwall/cellwall"
)

// Entry is the record of one snapshot, of a refused one too.
type Entry struct {
	V          int                `json:"v"`    // 1
	Kind       string             `json:"kind"` // "snapshot"
	ID         string             `json:"id"`
	Call       string             `json:"request_id,omitempty"` // filled in by the caller
	At         time.Time          `json:"at"`
	Identity   cellwall.Identity  `json:"identity"`
	Connection string             `json:"connection"` // its name, as it was asked for
	Table      string             `json:"table,omitempty"`
	Query      string             `json:"query,omitempty"`
	Key        string             `json:"key,omitempty"`
	Prefix     string             `json:"prefix,omitempty"`
	Code       cellwall.ErrorCode `json:"code,omitempty"`    // why it was refused or failed; "" = it came
	Failure    string             `json:"failure,omitempty"` // as the caller was told
	Cause      string             `json:"cause,omitempty"`   // as only the operator is
	Bytes      int64              `json:"bytes,omitempty"`   // that were read
	SHA256     string             `json:"sha256,omitempty"`  // of the dataset; filled in by the caller
	Dataset    string             `json:"dataset,omitempty"` // what it became; filled in by the caller
	Millis     int64              `json:"took_ms"`
}

func newEntry(ask Ask) Entry {
	return Entry{
		V: 1, Kind: "snapshot", ID: cellwall.NewID(cellwall.PrefixSnapshot), At: time.Now().UTC(), Identity: ask.Who,
		Connection: cut(ask.Connection, 64), Table: cut(ask.Table, 1024), Query: cut(ask.Query, 20_000), Key: cut(ask.Key, 1024), Prefix: cut(ask.Prefix, 1024),
	}
}

// end says what came of it.
func (e *Entry) end(got *Snapshot, err error) {
	e.Millis = time.Since(e.At).Milliseconds()
	if err != nil {
		e.Code, e.Failure, e.Cause = cellwall.CodeOf(err), err.Error(), causeOf(err)
		return
	}
	e.Bytes = got.bytes
}

func cut(text string, most int) string { return text[:min(len(text), most)] }

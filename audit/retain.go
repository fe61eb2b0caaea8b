package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cellwall/cellwall/internal/filelock"
)

// MinKeep is the shortest time for which records can be kept.
const MinKeep = 30 * 24 * time.Hour

// Anchor is where the chain begins when its first records have been let go.
type Anchor struct {
	Seq       uint64    `json:"seq"`  // of the last one
	Hash      digest    `json:"hash"` // of the last one
	Through   string    `json:"through"`
	At        time.Time `json:"at"` // when it was let go
	Signature []byte    `json:"signature,omitempty"`
}

func (a Anchor) message() []byte {
	return fmt.Appendf(nil, "cellwall records let go: %d %s %s %s", a.Seq, a.Hash, a.Through, a.At.UTC().Format(time.RFC3339Nano))
}

func anchorFile(dir string) string { return filepath.Join(dir, "anchor.json") }

// readAnchor returns the zero Anchor when nothing was let go.
func readAnchor(dir string, key *PublicKey) (a Anchor, err error) {
	raw, err := os.ReadFile(anchorFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, fmt.Errorf("the anchor is damaged: %w", err)
	}
	if key != nil && !key.verify(a.message(), a.Signature) {
		return a, errors.New("the anchor's signature is not this key's")
	}
	return a, nil
}

// Prune lets the files of whole days go that are older than keep, which is at
// least MinKeep, and says in the anchor, signed, where the chain begins now. The
// file that is written to stays. It returns the days that went.
func (l *Log) Prune(now time.Time, keep time.Duration, key *Key) (gone []string, err error) {
	if keep < MinKeep {
		return nil, fmt.Errorf("let records go: %v is less than %v", keep, MinKeep)
	}
	f, err := os.OpenFile(headFile(l.dir), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("let records go: %w", err)
	}
	defer f.Close()
	if err := filelock.Take(f); err != nil {
		return nil, fmt.Errorf("let records go: %w", err)
	}
	end, err := readHead(f)
	if err != nil {
		return nil, fmt.Errorf("let records go: %w", err)
	}
	list, err := days(l.dir)
	if err != nil {
		return nil, fmt.Errorf("let records go: %w", err)
	}
	before := now.Add(-keep).UTC().Format(time.DateOnly)
	for _, day := range list {
		if day >= before || day >= end.Day {
			break
		}
		if err := l.letGo(day, now, key); err != nil {
			return gone, fmt.Errorf("let records of %s go: %w", day, err)
		}
		gone = append(gone, day)
	}
	return gone, nil
}

// letGo writes the anchor before the file goes: a death between the two leaves
// a file that the anchor says is gone, which the next call removes.
func (l *Log) letGo(day string, now time.Time, key *Key) error {
	last, found, err := lastOfDay(l.dir, day)
	if err != nil {
		return err
	}
	if found { // a file of an older version is in no chain
		a := Anchor{Seq: last.seq, Hash: last.hash, Through: day, At: now.UTC()}
		a.Signature = key.sign(a.message())
		raw, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if err := writeSynced(anchorFile(l.dir)+".new", raw); err != nil {
			return err
		}
		if err := os.Rename(anchorFile(l.dir)+".new", anchorFile(l.dir)); err != nil {
			return err
		}
	}
	if err := syncDir(l.dir); err != nil {
		return err
	}
	return os.Remove(dayFile(l.dir, day))
}

package dataset

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cellwall/cellwall"
)

// Record is what a store remembers of one dataset.
type Record struct {
	V        int               `json:"v"` // 1
	ID       string            `json:"id"`
	Identity cellwall.Identity `json:"identity"` // who stored it
	Name     string            `json:"name"`     // safe, see SafeName
	Bytes    int64             `json:"bytes"`
	SHA256   string            `json:"sha256"`
	Stored   time.Time         `json:"stored"`
}

const (
	dirContent  = "content"
	dirSets     = "sets"
	dirIncoming = "incoming"
	version     = 1
)

// Store keeps uploads by content. Several processes may use one directory at
// the same time.
type Store struct{ dir string }

// NewStore uses the directory, which is made when missing, readable by its
// owner only.
func NewStore(dir string) (*Store, error) {
	for _, d := range []string{dirContent, dirSets, dirIncoming} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return nil, fmt.Errorf("make store of datasets: %w", err)
		}
	}
	return &Store{dir: dir}, nil
}

// Get opens a dataset of the tenant. To another tenant, and when there is
// none, it fails with CodeNotFound. The caller closes the file.
func (s *Store) Get(tenant, id string) (*File, Record, error) {
	record, err := s.record(tenant, id)
	if err != nil {
		return nil, Record{}, err
	}
	f, err := os.Open(s.data(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Record{}, missing(id)
	}
	if err != nil {
		return nil, Record{}, fmt.Errorf("open dataset %s: %w", id, err)
	}
	file, err := fromOpen(f, id, record.Name, record.Bytes)
	if err != nil {
		f.Close()
		return nil, Record{}, fmt.Errorf("open dataset %s: %w", id, err)
	}
	file.kept = record.SHA256 // counted when it was stored
	file.hash = func() (string, error) { return file.kept, nil }
	return file, record, nil
}

// Delete forgets a dataset of the tenant, and its content when no other has it.
func (s *Store) Delete(tenant, id string) error {
	record, err := s.record(tenant, id)
	if err != nil {
		return err
	}
	// The record first: a crash in between leaves bytes, never a dataset
	// without them.
	for _, path := range []string{s.index(id), s.data(id)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete dataset %s: %w", id, err)
		}
	}
	return s.dropContent(record.SHA256)
}

// Sweep removes what uploads and crashes left behind and nobody has touched
// for that long: half uploads, data without a record, contents without a user.
func (s *Store) Sweep(olderThan time.Duration) error {
	before := time.Now().Add(-olderThan)
	var errs []error
	errs = append(errs, each(filepath.Join(s.dir, dirIncoming), before, os.Remove))
	errs = append(errs, each(filepath.Join(s.dir, dirSets), before, func(path string) error {
		if filepath.Ext(path) != ".data" {
			return nil
		}
		if _, err := os.Stat(path[:len(path)-len(".data")] + ".json"); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.Remove(path)
	}))
	errs = append(errs, each(filepath.Join(s.dir, dirContent), before, func(path string) error {
		return s.dropContent(filepath.Base(path))
	}))
	return errors.Join(errs...)
}

func (s *Store) record(tenant, id string) (Record, error) {
	if !cellwall.ValidID(cellwall.PrefixDataset, id) {
		return Record{}, missing(id)
	}
	raw, err := os.ReadFile(s.index(id))
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, missing(id)
	}
	if err != nil {
		return Record{}, fmt.Errorf("read record of dataset %s: %w", id, err)
	}
	var record Record
	if err := json.Unmarshal(raw, &record); err != nil {
		return Record{}, fmt.Errorf("read record of dataset %s: %w", id, err)
	}
	if record.V != version {
		return Record{}, fmt.Errorf("read record of dataset %s: version %d is unknown", id, record.V)
	}
	if record.Identity.Tenant != tenant {
		return Record{}, missing(id)
	}
	return record, nil
}

// missing is the same for what never was and for what belongs to another.
func missing(id string) error {
	return &cellwall.Error{
		Code: cellwall.CodeNotFound, Op: "find dataset",
		Err: fmt.Errorf("%.40q is unknown", id), Hint: "upload the file again",
	}
}

func (s *Store) data(id string) string     { return filepath.Join(s.dir, dirSets, id+".data") }
func (s *Store) index(id string) string    { return filepath.Join(s.dir, dirSets, id+".json") }
func (s *Store) content(sum string) string { return filepath.Join(s.dir, dirContent, sum) }
func (s *Store) incoming() string          { return filepath.Join(s.dir, dirIncoming, rand.Text()) }

// each calls do for the files of a directory last changed before a moment.
func each(dir string, before time.Time, do func(path string) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("sweep datasets: %w", err)
	}
	var errs []error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.ModTime().After(before) {
			continue // gone, or still in use
		}
		if err := do(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("sweep datasets: %w", err))
		}
	}
	return errors.Join(errs...)
}

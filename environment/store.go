package environment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cellwall/cellwall"
)

// Store holds built environments below Dir. It has no state in memory: any
// number of processes may use one directory.
type Store struct {
	Dir     string  // "<state>/environments"
	Cache   string  // downloads by SHA-256; "" = Dir/../cache
	Catalog Catalog // declarations
}

// Open opens the store of a state directory over the built-in declarations.
func Open(stateDir string, builtin fs.FS) *Store {
	// Outside clients run in other directories, so no path may be relative.
	if abs, err := filepath.Abs(stateDir); err == nil {
		stateDir = abs
	}
	dir := filepath.Join(stateDir, "environments")
	return &Store{
		Dir:     dir,
		Cache:   filepath.Join(stateDir, "cache"),
		Catalog: Catalog{Overlay: os.DirFS(filepath.Join(dir, "declarations")), Builtin: builtin},
	}
}

// Built is what the store knows of a built environment: NAME.json, and the
// document of `env show --json`.
type Built struct {
	cellwall.Environment
	Version int      `json:"v"`               // of this record: 1
	Lock    string   `json:"lock"`            // digest of declaration and locks it was built from
	Packed  int64    `json:"packed"`          // bytes of the root as tar + zstd
	Drift   []string `json:"drift,omitempty"` // what differs from the lock, because the mirror no longer had it
	Debs    []Deb    `json:"debs"`
}

// Listing is one line of `env list`.
type Listing struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Parent  string `json:"parent,omitempty"`
	Built   *Built `json:"built"` // nil: not built
	Stale   bool   `json:"stale"` // built from other locks than the catalog has now
}

// List tells every declared environment, sorted by name.
func (s *Store) List() ([]Listing, error) {
	names, err := s.Catalog.Names()
	if err != nil {
		return nil, err
	}
	var list []Listing
	for _, name := range names {
		d, err := s.Catalog.Load(name)
		if err != nil {
			return nil, err
		}
		entry := Listing{Name: name, Summary: d.Summary, Parent: d.Parent}
		b, err := s.Show(name)
		switch {
		case err == nil:
			entry.Built, entry.Stale = &b, b.Lock != d.LockDigest()
		case cellwall.CodeOf(err) != cellwall.CodeEnvironmentMissing:
			return nil, err
		}
		list = append(list, entry)
	}
	return list, nil
}

// Show tells what was built under name. It fails with CodeEnvironmentMissing
// when that is nothing.
func (s *Store) Show(name string) (Built, error) {
	if _, err := s.Catalog.Load(name); err != nil {
		return Built{}, err
	}
	raw, err := os.ReadFile(s.record(name))
	if errors.Is(err, fs.ErrNotExist) {
		return Built{}, s.notBuilt(name, errors.New("it was not built yet"))
	}
	if err != nil {
		return Built{}, fmt.Errorf("read environment %s: %w", name, err)
	}
	var b Built
	if err := json.Unmarshal(raw, &b); err != nil || b.Version != recordVersion {
		return Built{}, s.notBuilt(name, errors.New("its record is of another version"))
	}
	b.Root = s.rootDir(b.Digest)
	if _, err := os.Stat(b.Root); err != nil {
		return Built{}, s.notBuilt(name, err)
	}
	return b, nil
}

// Open returns the built environment for a Spec.
func (s *Store) Open(name string) (cellwall.Environment, error) {
	b, err := s.Show(name)
	return b.Environment, err
}

const recordVersion = 1

func (s *Store) record(name string) string { return filepath.Join(s.Dir, name+".json") }

func (s *Store) rootDir(digest string) string {
	return filepath.Join(s.Dir, "roots", digestDir(digest), "root")
}

func (s *Store) notBuilt(name string, cause error) error {
	return &cellwall.Error{
		Code: cellwall.CodeEnvironmentMissing, Op: "open environment " + name, Err: cause,
		Hint: "cellwall env build " + name,
	}
}

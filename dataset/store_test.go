package dataset

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/cellwall/cellwall"
)

var alice = cellwall.Identity{Tenant: "alice"}

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := NewStore(filepath.Join(t.TempDir(), "datasets"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t *testing.T, s *Store, text, name string, who cellwall.Identity) Record {
	t.Helper()
	r, err := s.Put(strings.NewReader(text), name, who, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func count(t *testing.T, s *Store, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, dir))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestStore_gives_back_what_was_put_to_its_tenant_only(t *testing.T) {
	s := newStore(t)
	r := put(t, s, "a,b\n1,2\n", "../sales.csv", alice)
	if r.Name != "sales.csv" || r.Bytes != 8 || !cellwall.ValidID(cellwall.PrefixDataset, r.ID) {
		t.Errorf("record %+v", r)
	}
	file, record, err := s.Get("alice", r.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !record.Stored.Equal(r.Stored) || record.SHA256 != r.SHA256 || record.Identity.Tenant != "alice" {
		t.Errorf("record %+v, stored %+v", record, r)
	}
	body, err := io.ReadAll(file.f)
	if err != nil || string(body) != "a,b\n1,2\n" {
		t.Errorf("content %q, %v", body, err)
	}
	if fact, err := file.Fact(r.ID); err != nil || fact.SHA256 != r.SHA256 {
		t.Errorf("fact %+v, %v", fact, err)
	}
	for _, err := range []error{second(s.Get("mallory", r.ID)), s.Delete("mallory", r.ID)} {
		if cellwall.CodeOf(err) != cellwall.CodeNotFound {
			t.Errorf("another tenant: %v", err)
		}
	}
}

func second(_ *File, _ Record, err error) error { return err }

func TestStore_keeps_one_content_for_twins_until_the_last_is_deleted(t *testing.T) {
	s := newStore(t)
	a, b := put(t, s, "same", "a.csv", alice), put(t, s, "same", "b.csv", cellwall.Identity{Tenant: "bob"})
	if count(t, s, dirContent) != 1 || a.ID == b.ID {
		t.Errorf("%d contents", count(t, s, dirContent))
	}
	if err := s.Delete("alice", a.ID); err != nil {
		t.Fatal(err)
	}
	file, _, err := s.Get("bob", b.ID)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	if err := s.Delete("bob", b.ID); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s, dirContent) + count(t, s, dirSets) + count(t, s, dirIncoming); n != 0 {
		t.Errorf("%d files are left", n)
	}
	if err := second(s.Get("bob", b.ID)); cellwall.CodeOf(err) != cellwall.CodeNotFound {
		t.Errorf("deleted: %v", err)
	}
}

func TestStore_refused_uploads_leave_nothing(t *testing.T) {
	s := newStore(t)
	broken := errors.New("connection lost")
	for name, c := range map[string]struct {
		r    io.Reader
		code cellwall.ErrorCode
	}{
		"too large": {strings.NewReader("12345"), cellwall.CodeTooLarge},
		"empty":     {strings.NewReader(""), cellwall.CodeBadRequest},
		"broken":    {io.MultiReader(strings.NewReader("12"), iotest.ErrReader(broken)), cellwall.CodeInternal},
	} {
		if _, err := s.Put(c.r, "a.csv", alice, 4); cellwall.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := count(t, s, dirContent) + count(t, s, dirSets) + count(t, s, dirIncoming); n != 0 {
		t.Errorf("%d files are left", n)
	}
	if _, err := s.Put(strings.NewReader("1234"), "a.csv", alice, 4); err != nil {
		t.Errorf("at the cap: %v", err)
	}
}

func TestStore_ids_are_no_paths(t *testing.T) {
	s := newStore(t)
	for _, id := range []string{"", "../sets/x", "ds_../../../../etc/passwd", "art_aaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		if err := second(s.Get("alice", id)); cellwall.CodeOf(err) != cellwall.CodeNotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestStore_puts_and_deletes_of_one_content_at_once_lose_none(t *testing.T) {
	s := newStore(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				r, err := s.Put(strings.NewReader("same"), "a.csv", alice, 0)
				if err != nil {
					t.Error(err)
					return
				}
				file, _, err := s.Get("alice", r.ID)
				if err != nil {
					t.Error(err)
					return
				}
				file.Close()
				if err := s.Delete("alice", r.ID); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := count(t, s, dirSets) + count(t, s, dirIncoming); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

func TestStore_Sweep_removes_what_a_crash_left_and_nothing_else(t *testing.T) {
	s := newStore(t)
	kept := put(t, s, "kept", "a.csv", alice)
	orphan := put(t, s, "orphan", "b.csv", alice)
	if err := os.Remove(s.index(orphan.ID)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.incoming(), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(time.Hour); err != nil || count(t, s, dirIncoming) != 1 {
		t.Errorf("young leftovers were removed: %v", err)
	}
	if err := s.Sweep(-time.Hour); err != nil {
		t.Fatal(err)
	}
	if count(t, s, dirIncoming) != 0 || count(t, s, dirSets) != 2 || count(t, s, dirContent) != 1 {
		t.Error("leftovers were kept, or more was removed")
	}
	file, _, err := s.Get("alice", kept.ID)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
}

func TestPolicy(t *testing.T) {
	if p := (Policy{}).WithDefaults(); p.Rows != 10_000 || p.Sample != SampleRandom {
		t.Errorf("defaults %+v", p)
	}
	for _, p := range []Policy{{}, {Rows: 1}, {Rows: MaxRows, Sample: SampleHead}} {
		if err := p.Validate(); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, p := range []Policy{{Rows: -1}, {Rows: MaxRows + 1}, {Sample: "tail"}} {
		if err := p.Validate(); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

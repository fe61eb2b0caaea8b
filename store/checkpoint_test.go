package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func TestTheLogOfSQLiteIsMovedBehindTheWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	s, err := Open(t.Context(), schemeSQLite+path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	entry := make([]byte, 64<<10)
	write := func(n int) {
		t.Helper()
		for range n {
			k := cellwall.KeptExecution{ID: cellwall.NewID("exec"), Identity: cellwall.Identity{Tenant: "tnt_a"}, At: time.Now(), Status: cellwall.StatusOK}
			if err := s.KeepExecution(t.Context(), k, entry, nil, Answer{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	size := func(path string) int64 {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	write(100)
	if log, base := size(path+"-wal"), size(path); log < 6<<20 || base > 4<<20 {
		t.Fatalf("a log of %d bytes beside %d, before it was moved: a commit moved it", log, base)
	}
	for range 5 {
		if err := s.checkpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
		write(100)
	}
	if log, base := size(path+"-wal"), size(path); log > 16<<20 || base < 30<<20 {
		t.Errorf("a log of %d bytes beside %d: it does not begin anew", log, base)
	}
}

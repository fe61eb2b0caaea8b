package store

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM47_TheSchemaIsMadeAndKeptAndANewerOneIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		s := openAt(t, address, Options{})
		k := done("tnt_a")
		keep(t, s, k)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openAt(t, address, Options{})
		if _, err := s.Execution(t.Context(), "tnt_a", k.ID); err != nil {
			t.Fatal("a second start lost what was kept:", err)
		}
		if err := s.writer.write(t.Context(), 0, func(ctx context.Context, t *tx) error {
			_, err := t.exec(ctx, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, $1)`, true)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), address, Options{})
		wantCode(t, err, cellwall.CodeConflict)
	})
}

func TestOpen_twoAtOnceOnAnEmptyDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() {
				s, err := Open(t.Context(), address, Options{})
				if err == nil {
					err = s.Close()
				}
				errs[i] = err
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
	})
}

func TestOpen_refusesWhatIsNoAddressAndTellsNoPassword(t *testing.T) {
	for _, address := range []string{"", "sqlite:", "/tmp/x", "mysql://u:secret@h/d", "postgres://u:secret@h:port/d"} {
		_, err := Open(t.Context(), address, Options{})
		wantCode(t, err, cellwall.CodeBadRequest)
		if err != nil && strings.Contains(err.Error()+cellwall.HintOf(err), "secret") {
			t.Errorf("%v tells the password", err)
		}
	}
}

func TestOpen_oneServiceAtATimeOnSQLite(t *testing.T) {
	address := schemeSQLite + t.TempDir() + "/a b?c.db"
	s := openAt(t, address, Options{})
	if _, err := os.Stat(strings.TrimPrefix(address, schemeSQLite)); err != nil {
		t.Fatal("the file has another name:", err)
	}
	_, err := Open(t.Context(), address, Options{Serve: true})
	wantCode(t, err, cellwall.CodeConflict)
	beside, err := Open(t.Context(), address, Options{})
	if err != nil {
		t.Fatal("a command beside the service:", err)
	}
	if err := beside.SaveTenant(t.Context(), cellwall.Tenant{ID: "tnt_x", Name: "x"}); err != nil {
		t.Error(err)
	}
	if err := beside.Close(); err != nil {
		t.Error(err)
	}
	if all, err := s.Tenants(t.Context()); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
}

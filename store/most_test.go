package store

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// makings make one more of each kind that a tenant may have so many of, and take one
// away.
var makings = []struct {
	most most
	make func(t *testing.T, s *Store, tenant, id string) error
	drop func(t *testing.T, s *Store, tenant string) error
}{
	{
		mostWebhooks,
		func(t *testing.T, s *Store, tenant, id string) error {
			return s.SaveWebhook(t.Context(), cellwall.Webhook{ID: id, Tenant: tenant, State: cellwall.WebhookActive, At: noon})
		},
		func(t *testing.T, s *Store, tenant string) error {
			all, err := s.Webhooks(t.Context(), tenant)
			if err != nil || len(all) != mostWebhooks.n {
				return fmt.Errorf("there are %d: %w", len(all), err)
			}
			return s.DeleteWebhook(t.Context(), tenant, all[0].ID)
		},
	},
	{
		mostKeys,
		func(t *testing.T, s *Store, tenant, id string) error {
			return s.SaveKey(t.Context(), cellwall.Key{ID: id, Tenant: tenant, SHA256: sha256.Sum256([]byte(id)), Created: noon})
		},
		func(t *testing.T, s *Store, tenant string) error {
			all, err := s.Keys(t.Context())
			if err != nil || len(all) != mostKeys.n {
				return fmt.Errorf("there are %d: %w", len(all), err)
			}
			all[0].Revoked = noon.Add(time.Hour) // it stays in the list
			return s.SaveKey(t.Context(), all[0])
		},
	},
	{
		mostUploads,
		func(t *testing.T, s *Store, tenant, _ string) error {
			_, err := s.BeginUpload(t.Context(), cellwall.Identity{Tenant: tenant}, cellwall.NewID(cellwall.PrefixUpload), "a.csv", 4, 0)
			return err
		},
		func(t *testing.T, s *Store, tenant string) error {
			var id string
			if err := s.db.row(t.Context(), `SELECT min(id) FROM uploads WHERE tenant = $1`, tenant).Scan(&id); err != nil {
				return err
			}
			return s.AbandonUpload(t.Context(), tenant, id)
		},
	},
}

func TestM42_NobodyHasMoreThanATenantMayHoweverManyServicesAreAskedAtOnce(t *testing.T) {
	for _, m := range makings {
		t.Run(m.most.what, func(t *testing.T) {
			onEach(t, func(t *testing.T, address string) {
				beside, err := Open(t.Context(), address, Options{}) // as the command line has it
				if err != nil {
					t.Fatal(err)
				}
				defer beside.Close()
				services := []*Store{openAt(t, address, Options{}), beside}
				var made, refused atomic.Int64
				var all sync.WaitGroup
				for i := range m.most.n + 30 {
					all.Go(func() {
						err := m.make(t, services[i%2], "tnt_a", fmt.Sprintf("a_%d", i))
						switch {
						case err == nil:
							made.Add(1)
						case cellwall.CodeOf(err) == cellwall.CodeRateLimited && cellwall.HintOf(err) != "":
							refused.Add(1)
						default:
							t.Error(err)
						}
					})
				}
				all.Wait()
				if made.Load() != int64(m.most.n) || refused.Load() != 30 {
					t.Errorf("%d were made, %d refused", made.Load(), refused.Load())
				}
				s := services[0]
				if err := m.drop(t, s, "tnt_a"); err != nil {
					t.Fatal(err)
				}
				if err := m.make(t, s, "tnt_a", "again"); err != nil {
					t.Errorf("no room when one is gone: %v", err)
				}
				wantCode(t, m.make(t, s, "tnt_a", "more"), cellwall.CodeRateLimited)
			})
		})
	}
}

// What is there can be changed by a tenant that has as many as it may.
func TestM42_AFullTenantMayChangeWhatItHas(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		for _, m := range makings[:2] {
			for i := range m.most.n {
				if err := m.make(t, s, "tnt_a", fmt.Sprint("a_", i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.make(t, s, "tnt_a", "a_0"); err != nil {
				t.Errorf("%s: %v", m.most.what, err)
			}
		}
	})
}

package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
)

// SaveTenant keeps a tenant, new or changed. CodeConflict: another one has its
// name.
func (s *Store) SaveTenant(ctx context.Context, who cellwall.Tenant) error {
	terms, err := json.Marshal(who.Terms)
	if err != nil {
		return fmt.Errorf("save tenant: %w", err)
	}
	err = s.writer.write(ctx, len(terms), func(ctx context.Context, t *tx) error {
		var others int
		if err := t.row(ctx, `SELECT count(*) FROM tenants WHERE name = $1 AND id <> $2`, who.Name, who.ID).Scan(&others); err != nil {
			return err
		}
		if others > 0 {
			return refused{&cellwall.Error{
				Code: cellwall.CodeConflict, Op: "save tenant", Err: fmt.Errorf("another one is named %q", who.Name), Hint: "choose another name",
			}}
		}
		if _, err := t.exec(ctx, `INSERT INTO tenants (id, name, state, reason, created, terms) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, state = excluded.state, reason = excluded.reason, terms = excluded.terms`,
			who.ID, who.Name, string(who.State), who.Reason, micros(who.Created), string(terms)); err != nil {
			return err
		}
		return revise(ctx, t)
	})
	if err != nil {
		return storeError("save tenant", err)
	}
	return nil
}

// Tenants lists every tenant by name.
func (s *Store) Tenants(ctx context.Context) ([]cellwall.Tenant, error) {
	var all []cellwall.Tenant
	err := s.db.query(ctx, `SELECT id, name, state, reason, created, terms FROM tenants ORDER BY name`, nil, func(scan func(...any) error) error {
		var who cellwall.Tenant
		var created int64
		var terms string
		if err := scan(&who.ID, &who.Name, &who.State, &who.Reason, &created, &terms); err != nil {
			return err
		}
		who.Created = fromMicros(created)
		all = append(all, who)
		return json.Unmarshal([]byte(terms), &all[len(all)-1].Terms)
	})
	if err != nil {
		return nil, storeError("list tenants", err)
	}
	return all, nil
}

// SaveKey keeps a key, new or changed. CodeConflict: its text is another one's.
// CodeRateLimited: the tenant has 100 that are not revoked.
func (s *Store) SaveKey(ctx context.Context, k cellwall.Key) error {
	sum := hex.EncodeToString(k.SHA256[:])
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		if err := mostKeys.check(ctx, t, k.Tenant, k.ID); err != nil {
			return err
		}
		n, err := t.exec(ctx, `INSERT INTO keys (id, tenant, name, scopes, sha256, created, expires, revoked) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT DO NOTHING`, k.ID, k.Tenant, k.Name, strings.Join(k.Scopes, " "), sum, micros(k.Created), micros(k.Expires), micros(k.Revoked))
		if err == nil && n == 0 {
			n, err = t.exec(ctx, `UPDATE keys SET name = $1, scopes = $2, expires = $3, revoked = $4 WHERE id = $5 AND tenant = $6 AND sha256 = $7`,
				k.Name, strings.Join(k.Scopes, " "), micros(k.Expires), micros(k.Revoked), k.ID, k.Tenant, sum)
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return refused{&cellwall.Error{Code: cellwall.CodeConflict, Op: "save key", Err: fmt.Errorf("%s or its text is another one's", k.ID)}}
		}
		return revise(ctx, t)
	})
	if err != nil {
		return storeError("save key", err)
	}
	return nil
}

// Keys lists every key, revoked and expired ones too, oldest first.
func (s *Store) Keys(ctx context.Context) ([]cellwall.Key, error) {
	var all []cellwall.Key
	err := s.db.query(ctx, `SELECT id, tenant, name, scopes, sha256, created, expires, revoked FROM keys ORDER BY created, id`, nil, func(scan func(...any) error) error {
		var k cellwall.Key
		var scopes, sum string
		var created, expires, revoked int64
		if err := scan(&k.ID, &k.Tenant, &k.Name, &scopes, &sum, &created, &expires, &revoked); err != nil {
			return err
		}
		k.Scopes = strings.Fields(scopes)
		k.Created, k.Expires, k.Revoked = fromMicros(created), fromMicros(expires), fromMicros(revoked)
		raw, err := hex.DecodeString(sum)
		if err != nil || copy(k.SHA256[:], raw) != len(k.SHA256) {
			return fmt.Errorf("hash of %s is damaged", k.ID)
		}
		all = append(all, k)
		return nil
	})
	if err != nil {
		return nil, storeError("list keys", err)
	}
	return all, nil
}

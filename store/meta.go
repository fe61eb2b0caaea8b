package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
)

// Secret returns 32 random bytes under a name, the same ones at each call and to
// each service on this database.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, error) {
	var fresh [32]byte
	rand.Read(fresh[:])
	var text string
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		if _, err := t.exec(ctx, `INSERT INTO meta (k, v, n) VALUES ($1, $2, 0) ON CONFLICT (k) DO NOTHING`,
			"secret."+name, hex.EncodeToString(fresh[:])); err != nil {
			return err
		}
		return t.row(ctx, `SELECT v FROM meta WHERE k = $1`, "secret."+name).Scan(&text)
	})
	if err != nil {
		return nil, storeError("read secret "+name, err)
	}
	secret, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("read secret %s: %w", name, err)
	}
	return secret, nil
}

// Revision grows with each change of a tenant or a key.
func (s *Store) Revision(ctx context.Context) (int64, error) {
	var n int64
	err := s.db.row(ctx, `SELECT n FROM meta WHERE k = 'revision'`).Scan(&n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, storeError("read revision", err)
	}
	return n, nil
}

// revise counts a change of tenants or keys.
func revise(ctx context.Context, t *tx) error {
	_, err := t.exec(ctx, `INSERT INTO meta (k, v, n) VALUES ('revision', '', 1)
		ON CONFLICT (k) DO UPDATE SET n = meta.n + 1`)
	return err
}

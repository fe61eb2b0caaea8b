package store

import (
	"context"
	"database/sql"
	"errors"
)

// addStored counts what a tenant keeps; less than nothing cannot be.
func addStored(ctx context.Context, t *tx, tenant string, bytes int64) error {
	_, err := t.exec(ctx, `INSERT INTO stored (tenant, bytes) VALUES ($1, $2)
		ON CONFLICT (tenant) DO UPDATE SET bytes = stored.bytes + excluded.bytes`, tenant, bytes)
	return err
}

// Stored returns how many bytes the datasets, artifacts and uploads of a tenant
// have together. What is kept once for two of them counts twice.
func (s *Store) Stored(ctx context.Context, tenant string) (int64, error) {
	var n int64
	err := s.db.row(ctx, `SELECT bytes FROM stored WHERE tenant = $1`, tenant).Scan(&n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, storeError("count stored bytes", err)
	}
	return n, nil
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/cellwall/cellwall"
)

// addStored counts what a tenant keeps.
func addStored(ctx context.Context, t *tx, tenant string, bytes int64) error {
	_, err := t.exec(ctx, `INSERT INTO stored (tenant, bytes) VALUES ($1, $2)
		ON CONFLICT (tenant) DO UPDATE SET bytes = stored.bytes + excluded.bytes`, tenant, bytes)
	return err
}

// reserveRoom counts bytes before they are kept, and refuses what is more than
// the tenant has room for. Nothing has been written of who is refused.
func reserveRoom(ctx context.Context, t *tx, tenant string, bytes, room int64) error {
	if _, err := t.exec(ctx, `INSERT INTO stored (tenant, bytes) VALUES ($1, 0) ON CONFLICT (tenant) DO NOTHING`, tenant); err != nil {
		return err
	}
	n, err := t.exec(ctx, `UPDATE stored SET bytes = bytes + $1 WHERE tenant = $2 AND ($3 = 0 OR bytes + $1 <= $3)`, bytes, tenant, room)
	if err == nil && n == 0 {
		return refused{full(room)}
	}
	return err
}

// most is how many bytes a tenant may store at once: the lesser of the bound and
// what is left of its room.
func (s *Store) most(ctx context.Context, tenant string, most, room int64) (int64, error) {
	if room == 0 {
		return most, nil
	}
	stored, err := s.Stored(ctx, tenant)
	if err != nil {
		return 0, err
	}
	left := room - stored
	if left <= 0 {
		return 0, full(room)
	}
	if most == 0 {
		return left, nil
	}
	return min(most, left), nil
}

func full(room int64) error {
	return &cellwall.Error{
		Code: cellwall.CodeTooLarge, Op: "store content", Err: fmt.Errorf("all that is kept would be more than %d bytes", room),
		Hint: "delete datasets that are needed no more",
	}
}

// Stored returns how many bytes the datasets, artifacts, uploads and Results of a
// tenant have together. What two of them share counts twice.
func (s *Store) Stored(ctx context.Context, tenant string) (int64, error) {
	var n int64
	err := s.db.row(ctx, `SELECT bytes FROM stored WHERE tenant = $1`, tenant).Scan(&n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, storeError("count stored bytes", err)
	}
	return n, nil
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"io"

	"github.com/cellwall/cellwall"
)

// HoldDataset stores the content of a dataset of who, under a name that is safe
// already: [Store.KeepDataset] makes it one, within an hour. CodeTooLarge as soon as
// it is more than most bytes, or more than the tenant may keep in all; room 0 = no
// bound. What a dataset of this id has already is no more than it had.
func (s *Store) HoldDataset(ctx context.Context, who cellwall.Identity, id, name string, r io.Reader, most, room int64) (cellwall.KeptDataset, error) {
	if room > 0 && id != "" {
		stands, err := s.Dataset(ctx, who.Tenant, id)
		if err != nil && cellwall.CodeOf(err) != cellwall.CodeNotFound {
			return stands, err
		}
		room += stands.Bytes
	}
	most, err := s.most(ctx, who.Tenant, most, room)
	if err != nil {
		return cellwall.KeptDataset{}, err
	}
	c, err := s.Put(ctx, r, most)
	if err != nil {
		return cellwall.KeptDataset{}, err
	}
	return s.newDataset(who, id, name, c), nil
}

// KeepDataset makes a dataset of what HoldDataset stored, once: made is false, and
// nothing is counted, where one of its id stands, which is given then.
// CodeTooLarge: the tenant has no room for it. CodeBadRequest: it is empty.
func (s *Store) KeepDataset(ctx context.Context, d cellwall.KeptDataset, room int64) (kept cellwall.KeptDataset, made bool, err error) {
	err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) (err error) {
		kept, err = scanDataset(t.row(ctx, selectDataset, d.Identity.Tenant, d.ID).Scan)
		if made = errors.Is(err, sql.ErrNoRows); !made {
			return err
		}
		kept = d
		if err := reserveRoom(ctx, t, d.Identity.Tenant, d.Bytes, room); err != nil {
			return err
		}
		return insertDataset(ctx, t, d)
	})
	if err != nil {
		return cellwall.KeptDataset{}, false, storeError("store dataset", err)
	}
	return kept, made, nil
}

func (s *Store) newDataset(who cellwall.Identity, id, name string, c Content) cellwall.KeptDataset {
	d := cellwall.KeptDataset{Identity: who, At: fromMicros(micros(s.now()))}
	d.Identity.Scopes = nil
	d.ID, d.Name, d.Bytes, d.SHA256 = id, name, c.Bytes, c.SHA256
	return d
}

func insertDataset(ctx context.Context, t *tx, d cellwall.KeptDataset) error {
	if d.Bytes == 0 {
		return refused{&cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "store dataset", Err: errors.New("it is empty"), Hint: "upload a file that has bytes",
		}}
	}
	_, err := t.exec(ctx, `INSERT INTO datasets (tenant, id, name, bytes, sha256, described, subject, key_id, at) VALUES ($1, $2, $3, $4, $5, '', $6, $7, $8)`,
		d.Identity.Tenant, d.ID, d.Name, d.Bytes, d.SHA256, d.Identity.Subject, d.Identity.Key, micros(d.At))
	return err
}

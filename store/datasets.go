package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/cellwall/cellwall"
)

// Describe keeps what a sandbox said of a dataset. Its name, size and hash stay
// those of the store.
func (s *Store) Describe(ctx context.Context, tenant string, d cellwall.Dataset) error {
	raw, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("describe dataset: %w", err)
	}
	return s.change(ctx, "describe dataset", "dataset", `UPDATE datasets SET described = $1 WHERE tenant = $2 AND id = $3`, string(raw), tenant, d.ID)
}

const (
	datasetColumns = `tenant, id, name, bytes, sha256, described, subject, key_id, at`
	selectDataset  = `SELECT ` + datasetColumns + ` FROM datasets WHERE tenant = $1 AND id = $2`
)

func scanDataset(scan func(...any) error) (d cellwall.KeptDataset, err error) {
	var own cellwall.Dataset
	var described string
	var at int64
	if err := scan(&d.Identity.Tenant, &own.ID, &own.Name, &own.Bytes, &own.SHA256, &described, &d.Identity.Subject, &d.Identity.Key, &at); err != nil {
		return d, err
	}
	if described != "" {
		if err := json.Unmarshal([]byte(described), &d.Dataset); err != nil {
			return d, err
		}
	}
	d.ID, d.Name, d.Bytes, d.SHA256, d.At = own.ID, own.Name, own.Bytes, own.SHA256, fromMicros(at)
	return d, nil
}

// Dataset returns one of the tenant's.
func (s *Store) Dataset(ctx context.Context, tenant, id string) (cellwall.KeptDataset, error) {
	d, err := scanDataset(s.db.row(ctx, selectDataset, tenant, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return d, missing("dataset")
	}
	if err != nil {
		return d, storeError("find dataset", err)
	}
	return d, nil
}

// Datasets lists the tenant's, newest first.
func (s *Store) Datasets(ctx context.Context, tenant string, page cellwall.Page) (list []cellwall.KeptDataset, next string, err error) {
	from, err := startOf(page)
	if err != nil {
		return nil, "", err
	}
	err = s.db.query(ctx, `SELECT `+datasetColumns+` FROM datasets WHERE tenant = $1 AND (at, id) < ($2, $3)
		ORDER BY at DESC, id DESC LIMIT $4`, []any{tenant, from.at, from.id, from.limit + 1}, func(scan func(...any) error) error {
		d, err := scanDataset(scan)
		list = append(list, d)
		return err
	})
	if err != nil {
		return nil, "", storeError("list datasets", err)
	}
	list, next = cut(list, from.limit, func(d cellwall.KeptDataset) start { return start{at: micros(d.At), id: d.ID} })
	return list, next, nil
}

// OpenDataset gives the content of one of the tenant's as a file of this host.
// The caller closes it.
func (s *Store) OpenDataset(ctx context.Context, tenant, id string) (*os.File, cellwall.KeptDataset, error) {
	d, err := s.Dataset(ctx, tenant, id)
	if err != nil {
		return nil, d, err
	}
	f, err := s.open(ctx, d.SHA256)
	return f, d, err
}

// DeleteDataset forgets one of the tenant's. Its content goes with the last row
// that refers to it.
func (s *Store) DeleteDataset(ctx context.Context, tenant, id string) error {
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		var bytes int64
		err := t.row(ctx, `DELETE FROM datasets WHERE tenant = $1 AND id = $2 RETURNING bytes`, tenant, id).Scan(&bytes)
		if errors.Is(err, sql.ErrNoRows) {
			return refused{missing("dataset")}
		}
		if err != nil {
			return err
		}
		return addStored(ctx, t, tenant, -bytes)
	})
	if err != nil {
		return storeError("delete dataset", err)
	}
	return nil
}

// OpenArtifact gives the content of an artifact that [Store.Artifact] returned.
// The caller closes it.
func (s *Store) OpenArtifact(ctx context.Context, a cellwall.KeptArtifact) (*os.File, error) {
	return s.open(ctx, a.SHA256)
}

package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/store/blob"
)

// FinishUpload makes the dataset of an upload that is whole, the same one each
// time. CodeConflict: something of it has not come.
func (s *Store) FinishUpload(ctx context.Context, tenant, id string) (cellwall.KeptDataset, error) {
	u, err := s.Upload(ctx, tenant, id)
	if err != nil {
		return cellwall.KeptDataset{}, err
	}
	if u.Dataset != "" {
		return s.Dataset(ctx, tenant, u.Dataset)
	}
	if u.Received != u.Size {
		return cellwall.KeptDataset{}, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "finish upload", Err: fmt.Errorf("it has %d of %d bytes", u.Received, u.Size), Hint: "send the rest",
		}
	}
	c, err := s.join(ctx, u)
	if err != nil {
		return cellwall.KeptDataset{}, err
	}
	d := s.newDataset(u.Identity, cellwall.NewID(cellwall.PrefixDataset), u.Name, c)
	err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		now, err := findUpload(t.row(ctx, selectUpload, tenant, id))
		if err != nil {
			return refused{err}
		}
		if now.Dataset != "" { // another call was faster
			d, err = scanDataset(t.row(ctx, selectDataset, tenant, now.Dataset).Scan)
			return err
		}
		if err := insertDataset(ctx, t, d); err != nil { // counted as it came
			return err
		}
		if err := dropParts(ctx, t, u); err != nil {
			return err
		}
		_, err = t.exec(ctx, `UPDATE uploads SET dataset = $1 WHERE tenant = $2 AND id = $3`, d.ID, tenant, id)
		return err
	})
	if err != nil {
		return cellwall.KeptDataset{}, storeError("finish upload", err)
	}
	return d, nil
}

// join makes one content of the parts.
func (s *Store) join(ctx context.Context, u cellwall.KeptUpload) (Content, error) {
	var parts []Content
	err := s.db.query(ctx, `SELECT sha256, bytes FROM upload_parts WHERE tenant = $1 AND upload = $2 ORDER BY start_at`,
		[]any{u.Identity.Tenant, u.ID}, func(scan func(...any) error) error {
			var c Content
			err := scan(&c.SHA256, &c.Bytes)
			parts = append(parts, c)
			return err
		})
	if err != nil {
		return Content{}, storeError("join upload", err)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	staged, err := s.contents.Stage()
	if err != nil {
		return Content{}, storeError("join upload", err)
	}
	defer staged.Close()
	for _, part := range parts {
		if err := s.appendPart(ctx, staged, part); err != nil {
			return Content{}, storeError("join upload", err)
		}
	}
	if staged.Bytes() != u.Size {
		return Content{}, storeError("join upload", errors.New("it changed meanwhile"))
	}
	return s.keepStaged(ctx, staged)
}

func (s *Store) appendPart(ctx context.Context, to *blob.Staged, part Content) error {
	f, err := s.open(ctx, part.SHA256)
	if err != nil {
		return err
	}
	defer f.Close()
	return receive(ctx, to, f, 0)
}

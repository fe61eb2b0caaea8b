package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cellwall/cellwall"
)

const maxParts = 10_000 // of one upload

// BeginUpload announces a dataset of size bytes that will come in parts, once: where
// an upload of this id stands it is given. CodeTooLarge: the tenant has no room for
// it; 0 = no bound. CodeRateLimited: it has 50 that are not finished.
func (s *Store) BeginUpload(ctx context.Context, who cellwall.Identity, id, name string, size, room int64) (cellwall.KeptUpload, error) {
	if stands, err := s.Upload(ctx, who.Tenant, id); cellwall.CodeOf(err) != cellwall.CodeNotFound {
		return stands, err // it needs no room any more
	}
	who.Scopes = nil
	u := cellwall.KeptUpload{ID: id, Identity: who, Name: name, Size: size, At: fromMicros(micros(s.now()))}
	if size <= 0 {
		return u, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "begin upload", Err: fmt.Errorf("a size of %d bytes", size), Hint: "upload a file that has bytes",
		}
	}
	most, err := s.most(ctx, who.Tenant, size, room)
	if err == nil && most < size {
		err = full(room)
	}
	if err == nil {
		err = s.insertUpload(ctx, u)
	}
	return u, err
}

func (s *Store) insertUpload(ctx context.Context, u cellwall.KeptUpload) error {
	who := u.Identity
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		if err := mostUploads.check(ctx, t, who.Tenant, u.ID); err != nil {
			return err
		}
		_, err := t.exec(ctx, `INSERT INTO uploads (tenant, id, name, size, received, dataset, subject, key_id, at)
			VALUES ($1, $2, $3, $4, 0, '', $5, $6, $7) ON CONFLICT (tenant, id) DO NOTHING`, who.Tenant, u.ID, u.Name, u.Size, who.Subject, who.Key, micros(u.At))
		return err
	})
	if err != nil {
		return storeError("begin upload", err)
	}
	return nil
}

// Upload returns one of the tenant's.
func (s *Store) Upload(ctx context.Context, tenant, id string) (cellwall.KeptUpload, error) {
	return findUpload(s.db.row(ctx, selectUpload, tenant, id))
}

const selectUpload = `SELECT tenant, id, name, size, received, dataset, subject, key_id, at FROM uploads WHERE tenant = $1 AND id = $2`

func findUpload(row scanner) (u cellwall.KeptUpload, err error) {
	var at int64
	err = row.Scan(&u.Identity.Tenant, &u.ID, &u.Name, &u.Size, &u.Received, &u.Dataset, &u.Identity.Subject, &u.Identity.Key, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return u, missing("upload")
	}
	if err != nil {
		return u, storeError("find upload", err)
	}
	u.At = fromMicros(at)
	return u, nil
}

// Continue appends what r gives to an upload that has offset bytes, up to its
// announced size. What came before r failed stays: then both the upload as it
// is now and the error are returned. CodeBadRequest: r gives more than is missing, and
// nothing of it stays. CodeConflict: it has not offset bytes, or
// another piece of it is on its way. Of two pieces for the same place only one can
// stay, and the other one would be staged for nothing.
func (s *Store) Continue(ctx context.Context, tenant, id string, offset int64, r io.Reader, room int64) (cellwall.KeptUpload, error) {
	key := [2]string{tenant, id}
	if _, other := s.uploads.LoadOrStore(key, nil); other {
		return cellwall.KeptUpload{}, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "continue upload", Err: errors.New("another piece of it is on its way"),
			Hint: "wait until that has come or is given up, ask where the upload stands, and go on from there", RetryAfter: time.Second,
		}
	}
	defer s.uploads.Delete(key)
	u, err := s.Upload(ctx, tenant, id)
	if err != nil {
		return u, err
	}
	if u.Received != offset || u.Dataset != "" {
		return u, elsewhere(u)
	}
	staged, err := s.contents.Stage()
	if err != nil {
		return u, storeError("continue upload", err)
	}
	defer staged.Close()
	broken := receive(ctx, staged, io.LimitReader(r, u.Size-offset+1), 0)
	if staged.Bytes() > u.Size-offset {
		return u, beyond(u)
	}
	if staged.Bytes() == 0 {
		return u, broken
	}
	ctx = context.WithoutCancel(ctx) // who went away finds here what came
	c, err := s.keepStaged(ctx, staged)
	if err == nil {
		err = s.addPart(ctx, u, c, room)
	}
	if err != nil {
		return u, errors.Join(err, broken)
	}
	u.Received += c.Bytes
	return u, broken
}

func (s *Store) addPart(ctx context.Context, u cellwall.KeptUpload, c Content, room int64) error {
	tenant := u.Identity.Tenant
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		now, err := findUpload(t.row(ctx, selectUpload, tenant, u.ID))
		if err != nil {
			return refused{err}
		}
		if now.Received != u.Received || now.Dataset != "" {
			return refused{elsewhere(now)}
		}
		var parts int
		if err := t.row(ctx, `SELECT count(*) FROM upload_parts WHERE tenant = $1 AND upload = $2`, tenant, u.ID).Scan(&parts); err != nil {
			return err
		}
		if parts >= maxParts {
			return refused{&cellwall.Error{
				Code: cellwall.CodeTooLarge, Op: "continue upload", Err: fmt.Errorf("it has more than %d parts", maxParts), Hint: "begin again with larger parts",
			}}
		}
		if err := reserveRoom(ctx, t, tenant, c.Bytes, room); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `INSERT INTO upload_parts (tenant, upload, start_at, bytes, sha256) VALUES ($1, $2, $3, $4, $5)`,
			tenant, u.ID, u.Received, c.Bytes, c.SHA256); err != nil {
			return err
		}
		_, err = t.exec(ctx, `UPDATE uploads SET received = received + $1 WHERE tenant = $2 AND id = $3`, c.Bytes, tenant, u.ID)
		return err
	})
	if err != nil {
		return storeError("continue upload", err)
	}
	return nil
}

// beyond refuses a piece that is too long: what to cut off nobody here can know.
func beyond(u cellwall.KeptUpload) error {
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "continue upload", Err: fmt.Errorf("the piece is longer than the %d of %d bytes that are missing", u.Size-u.Received, u.Size),
		Hint: "announce the size of the file in bytes, not in characters; for another size begin another upload",
	}
}

func elsewhere(u cellwall.KeptUpload) error {
	why := fmt.Errorf("it has %d of %d bytes", u.Received, u.Size)
	if u.Dataset != "" {
		why = errors.New("it is a dataset already")
	}
	return &cellwall.Error{Code: cellwall.CodeConflict, Op: "continue upload", Err: why, Hint: "ask where it stands, and go on from there"}
}

// AbandonUpload forgets one of the tenant's, and what came of it. The dataset
// that it became stays.
func (s *Store) AbandonUpload(ctx context.Context, tenant, id string) error {
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		u, err := findUpload(t.row(ctx, selectUpload, tenant, id))
		if err != nil {
			return refused{err}
		}
		return dropUpload(ctx, t, u)
	})
	if err != nil {
		return storeError("abandon upload", err)
	}
	return nil
}

func dropUpload(ctx context.Context, t *tx, u cellwall.KeptUpload) error {
	tenant := u.Identity.Tenant
	if err := dropParts(ctx, t, u); err != nil {
		return err
	}
	if u.Dataset == "" && u.Received > 0 {
		if err := addStored(ctx, t, tenant, -u.Received); err != nil {
			return err
		}
	}
	_, err := t.exec(ctx, `DELETE FROM uploads WHERE tenant = $1 AND id = $2`, tenant, u.ID)
	return err
}

func dropParts(ctx context.Context, t *tx, u cellwall.KeptUpload) error {
	_, err := t.exec(ctx, `DELETE FROM upload_parts WHERE tenant = $1 AND upload = $2`, u.Identity.Tenant, u.ID)
	return err
}

package apitest

import (
	"context"
	"io"
	"os"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/artifact"
	"github.com/cellwall/cellwall/store"
)

// datasets are those of the store, without a bound of what a tenant may keep.
type datasets struct{ *store.Store }

func (d datasets) Hold(ctx context.Context, who cellwall.Identity, id, name string, r io.Reader, most int64) (cellwall.KeptDataset, error) {
	return d.HoldDataset(ctx, who, id, name, r, most, 0)
}

func (d datasets) Keep(ctx context.Context, held cellwall.KeptDataset) (cellwall.KeptDataset, error) {
	kept, _, err := d.KeepDataset(ctx, held, 0)
	return kept, err
}

func (d datasets) Open(ctx context.Context, tenant, id string) (*os.File, cellwall.KeptDataset, error) {
	return d.OpenDataset(ctx, tenant, id)
}

func (d datasets) Delete(ctx context.Context, tenant, id string) error {
	return d.DeleteDataset(ctx, tenant, id)
}

// uploads are those of the store.
type uploads struct{ *store.Store }

func (u uploads) BeginUpload(ctx context.Context, who cellwall.Identity, id, name string, size int64) (cellwall.KeptUpload, error) {
	return u.Store.BeginUpload(ctx, who, id, name, size, 0)
}

func (u uploads) Continue(ctx context.Context, tenant, id string, offset int64, r io.Reader) (cellwall.KeptUpload, error) {
	return u.Store.Continue(ctx, tenant, id, offset, r, 0)
}

func (u uploads) FinishUpload(ctx context.Context, who cellwall.Identity, id string) (cellwall.KeptDataset, error) {
	return u.Store.FinishUpload(ctx, who.Tenant, id)
}

// artifacts are those of the store.
type artifacts struct{ *store.Store }

func (a artifacts) Open(ctx context.Context, which cellwall.KeptArtifact) (io.ReadSeekCloser, error) {
	f, err := a.OpenArtifact(ctx, which)
	if err != nil {
		return nil, err // not f: it would be an interface that is not nil
	}
	return f, nil
}

// sink puts what a harvest takes into the store.
type sink struct{ store *store.Store }

func (s sink) Put(ctx context.Context, content io.Reader) (artifact.Stored, error) {
	c, err := s.store.Put(ctx, content, 0)
	return artifact.Stored{SHA256: c.SHA256, Bytes: c.Bytes}, err
}

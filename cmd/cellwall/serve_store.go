package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/artifact"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/dataset"
	"github.com/cellwall/cellwall/policy/mask"
	"github.com/cellwall/cellwall/prepared"
	"github.com/cellwall/cellwall/store"
	"github.com/cellwall/cellwall/store/blob"
)

// kept is what a service must find again.
type kept struct {
	*store.Store
	ledger *ledger
	secret [32]byte // signs links and cursors, of every service on this database
	// terms are those of a tenant; the desk sets it.
	terms func(tenant string) cellwall.Terms
	// stored counts what was kept besides artifacts of executions; the desk sets it.
	stored func(who cellwall.Identity, bytes int64)
}

// openKept opens the database and the contents, and appends the records that a
// death prevented.
func (s *service) openKept(ctx context.Context) (err error) {
	contents, err := openContents(ctx, s.settings.Blobs, s.config)
	if err != nil {
		return err
	}
	s.undo.Add(contents.Close)
	address := s.settings.Database
	if address == "" {
		address = store.Default(s.config.StateDir)
	}
	rows, err := store.Open(ctx, address, store.Options{Serve: true, Contents: contents, Logger: s.log})
	if err != nil {
		return err
	}
	s.undo.Add(rows.Close)
	s.kept = &kept{Store: rows, terms: func(string) cellwall.Terms { return s.settings.Defaults }, stored: func(cellwall.Identity, int64) {}}
	s.kept.ledger = &ledger{store: rows, records: s.records}
	if err := s.kept.ledger.recover(ctx); err != nil {
		return err
	}
	secret, err := rows.Secret(ctx, "api")
	if err != nil {
		return err
	}
	copy(s.kept.secret[:], secret)
	return nil
}

// openContents opens a directory or a bucket.
func openContents(ctx context.Context, address string, c *config) (blob.Store, error) {
	if !strings.HasPrefix(address, "s3:") {
		if address == "" {
			address = c.inState("blobs")
		}
		return blob.OpenDisk(address)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, usage("open contents", errors.New("this is no address of a bucket"), "use s3://bucket/prefix?endpoint=host:port&region=name")
	}
	return blob.OpenS3(ctx, blob.S3Options{
		Bucket: u.Host, Prefix: strings.Trim(u.Path, "/"), Endpoint: u.Query().Get("endpoint"), Region: u.Query().Get("region"),
		Insecure: u.Query().Get("tls") == "false", Dir: c.inState("cache"),
	})
}

// into makes a controller keep what it makes.
func (k *kept) into(ways *controller.Options) {
	taker := artifact.Taker{Sink: sink{k.Store}}
	ways.Harvester, ways.Recorder = taker, k.ledger
	ways.Follow = func() controller.Follower { return taker.Follow() }
}

// addKept gives the API what it finds again.
func (s *service) addKept(o *api.Options) {
	k := s.kept
	o.Secret = k.secret
	o.Executions, o.Once, o.Datasets, o.Uploads, o.Artifacts = k.Store, k.Store, keptDatasets{k, s.house.prepared}, keptUploads{k}, keptArtifacts{k.Store}
	o.ColumnMasks = &api.ColumnMasks{Program: mask.Columns, File: mask.Masked}
}

// sink puts artifacts into the store.
type sink struct{ store *store.Store }

// Put keeps the content of one artifact; the harvest has bounded it.
func (s sink) Put(ctx context.Context, content io.Reader) (artifact.Stored, error) {
	c, err := s.store.Put(ctx, content, 0)
	return artifact.Stored{SHA256: c.SHA256, Bytes: c.Bytes}, err
}

// room is how many bytes a tenant may keep in all, 0 = no bound.
func (k *kept) room(tenant string) int64 { return k.terms(tenant).StoreBytes }

// narrow leaves a run as much for artifacts as its tenant has room.
func (k *kept) narrow(ctx context.Context, req *cellwall.Request) error {
	room := k.room(req.Identity.Tenant)
	if room == 0 {
		return nil
	}
	stored, err := k.Stored(ctx, req.Identity.Tenant)
	if err != nil {
		return fmt.Errorf("look for room: %w", err)
	}
	left := max(1, room-stored) // 0 would mean the default
	if asked := req.Limits.WithDefaults().ArtifactBytes; left < asked {
		req.Limits.ArtifactBytes = left
	}
	return nil
}

// leastRoom is what a Result has at least: without anything that the code said it is
// that large.
const leastRoom = 16 * cellwall.KiB

// left is how many bytes a tenant may keep yet, 0 = no bound.
func (k *kept) left(ctx context.Context, tenant string) (int64, error) {
	room := k.room(tenant)
	if room == 0 {
		return 0, nil
	}
	stored, err := k.Stored(ctx, tenant)
	if err != nil {
		return 0, fmt.Errorf("look for room: %w", err)
	}
	if stored >= room {
		return 0, &cellwall.Error{
			Code: cellwall.CodeTooLarge, Op: "run code", Err: fmt.Errorf("all that is kept has %d bytes, of %d in store_bytes: there is no room for a result", stored, room),
			Hint: "delete datasets that are needed no more; results and artifacts go when their retention is over",
		}
	}
	return max(room-stored, leastRoom), nil
}

// keptDatasets are the uploads of the API.
type keptDatasets struct {
	k        *kept
	prepared *prepared.Set // nil where nothing is parsed ahead
}

func (d keptDatasets) Hold(ctx context.Context, who cellwall.Identity, id, name string, r io.Reader, maxBytes int64) (cellwall.KeptDataset, error) {
	return d.k.HoldDataset(ctx, who, id, dataset.SafeName(name), r, maxBytes, d.k.room(who.Tenant))
}

func (d keptDatasets) Keep(ctx context.Context, held cellwall.KeptDataset) (cellwall.KeptDataset, error) {
	kept, made, err := d.k.KeepDataset(ctx, held, d.k.room(held.Identity.Tenant))
	if made {
		d.k.stored(held.Identity, kept.Bytes)
	}
	return kept, err
}

func (d keptDatasets) Describe(ctx context.Context, tenant string, said cellwall.Dataset) error {
	return d.k.Describe(ctx, tenant, said)
}

func (d keptDatasets) Dataset(ctx context.Context, tenant, id string) (cellwall.KeptDataset, error) {
	return d.k.Dataset(ctx, tenant, id)
}

func (d keptDatasets) Datasets(ctx context.Context, tenant string, page cellwall.Page) ([]cellwall.KeptDataset, string, error) {
	return d.k.Datasets(ctx, tenant, page)
}

func (d keptDatasets) Open(ctx context.Context, tenant, id string) (*os.File, cellwall.KeptDataset, error) {
	return d.k.OpenDataset(ctx, tenant, id)
}

func (d keptDatasets) Delete(ctx context.Context, tenant, id string) error {
	gone, err := d.k.Dataset(ctx, tenant, id)
	if err != nil {
		return err
	}
	if err := d.k.DeleteDataset(ctx, tenant, id); err != nil {
		return err
	}
	if d.prepared != nil {
		d.prepared.Drop(tenant, gone.SHA256)
	}
	return nil
}

// keptUploads are datasets on their way.
type keptUploads struct{ k *kept }

func (u keptUploads) BeginUpload(ctx context.Context, who cellwall.Identity, id, name string, size int64) (cellwall.KeptUpload, error) {
	return u.k.BeginUpload(ctx, who, id, dataset.SafeName(name), size, u.k.room(who.Tenant))
}

func (u keptUploads) Upload(ctx context.Context, tenant, id string) (cellwall.KeptUpload, error) {
	return u.k.Upload(ctx, tenant, id)
}

func (u keptUploads) Continue(ctx context.Context, tenant, id string, offset int64, r io.Reader) (cellwall.KeptUpload, error) {
	now, err := u.k.Continue(ctx, tenant, id, offset, r, u.k.room(tenant))
	// What came before the caller went away is kept; a conflict tells where another stands.
	if now.Received > offset && cellwall.CodeOf(err) != cellwall.CodeConflict {
		u.k.stored(now.Identity, now.Received-offset)
	}
	return now, err
}

func (u keptUploads) FinishUpload(ctx context.Context, who cellwall.Identity, id string) (cellwall.KeptDataset, error) {
	return u.k.FinishUpload(ctx, who.Tenant, id)
}

func (u keptUploads) AbandonUpload(ctx context.Context, tenant, id string) error {
	return u.k.AbandonUpload(ctx, tenant, id)
}

// keptArtifacts are what runs left.
type keptArtifacts struct{ store *store.Store }

func (a keptArtifacts) Artifact(ctx context.Context, tenant, id string) (cellwall.KeptArtifact, error) {
	return a.store.Artifact(ctx, tenant, id)
}

func (a keptArtifacts) Open(ctx context.Context, which cellwall.KeptArtifact) (io.ReadSeekCloser, error) {
	f, err := a.store.OpenArtifact(ctx, which)
	if err != nil {
		return nil, err // not f: it would be an interface that is not nil
	}
	return f, nil
}

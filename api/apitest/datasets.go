package apitest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/dataset"
)

// datasets are files of the dataset room, with their descriptions in memory.
type datasets struct {
	files *dataset.Store
	dir   string

	mu   sync.Mutex
	kept map[string]cellwall.KeptDataset
}

func newDatasets(t testing.TB, state string) *datasets {
	t.Helper()
	dir := filepath.Join(state, "datasets")
	files, err := dataset.NewStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &datasets{files: files, dir: dir, kept: map[string]cellwall.KeptDataset{}}
}

func (d *datasets) Put(_ context.Context, who cellwall.Identity, name string, r io.Reader, most int64) (cellwall.KeptDataset, error) {
	record, err := d.files.Put(r, name, who, most)
	if err != nil {
		return cellwall.KeptDataset{}, err
	}
	k := cellwall.KeptDataset{Identity: who, At: record.Stored}
	k.ID, k.Name, k.Bytes, k.SHA256 = record.ID, record.Name, record.Bytes, record.SHA256
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept[k.ID] = k
	return k, nil
}

func (d *datasets) Describe(_ context.Context, tenant string, described cellwall.Dataset) error {
	k, err := d.Dataset(context.Background(), tenant, described.ID)
	if err != nil {
		return err
	}
	k.Dataset = described
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept[k.ID] = k
	return nil
}

func (d *datasets) Dataset(_ context.Context, tenant, id string) (cellwall.KeptDataset, error) {
	f, _, err := d.files.Get(tenant, id) // the one who decides whose it is
	if err != nil {
		return cellwall.KeptDataset{}, err
	}
	f.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.kept[id], nil
}

func (d *datasets) Datasets(_ context.Context, tenant string, page cellwall.Page) (list []cellwall.KeptDataset, next string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, k := range d.kept {
		if k.Identity.Tenant == tenant {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b cellwall.KeptDataset) int { return b.At.Compare(a.At) })
	if at := slices.IndexFunc(list, func(k cellwall.KeptDataset) bool { return k.ID == page.After }); at >= 0 {
		list = list[at+1:]
	}
	if len(list) > page.Limit {
		list, next = list[:page.Limit], list[page.Limit-1].ID
	}
	return list, next, nil
}

func (d *datasets) Open(ctx context.Context, tenant, id string) (*os.File, cellwall.KeptDataset, error) {
	k, err := d.Dataset(ctx, tenant, id)
	if err != nil {
		return nil, k, err
	}
	f, err := os.Open(filepath.Join(d.dir, "sets", id+".data"))
	return f, k, err
}

func (d *datasets) Delete(_ context.Context, tenant, id string) error {
	if err := d.files.Delete(tenant, id); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.kept, id)
	return nil
}

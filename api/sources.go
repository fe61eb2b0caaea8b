package api

import (
	"context"
	"io"

	"github.com/cellwall/cellwall"
)

// Sources bring data from outside of the wall. cmd joins packages fetch and connect
// to it, and knows what a tenant's terms allow. Everything that is asked of them is
// recorded, what they refuse too.
type Sources interface {
	// Fetch brings a file of the web. CodeBadRequest: that is no address;
	// CodeForbidden: not for this tenant; CodeSourceFailed: the other side's fault.
	Fetch(ctx context.Context, who cellwall.Identity, url string, maxBytes int64) (*Brought, error)
	// Snapshot reads what a connection leads to. To a tenant whose terms do not name
	// it, a connection is CodeNotFound.
	Snapshot(ctx context.Context, who cellwall.Identity, ask SnapshotAsk, maxBytes int64) (*Brought, error)
}

// SnapshotAsk says what of a connection: exactly one of the fields after it.
type SnapshotAsk struct {
	Connection string
	Table      string
	Query      string
	Key        string
	Prefix     string
}

// Brought is data on its way to becoming a dataset.
type Brought struct {
	Name    string // of the dataset; anything
	Content io.Reader
	// Program makes the dataset of the content, which nobody reads out here: it runs in
	// a sandbox where File lies, and leaves a file named Leaves. "" = the content is the
	// dataset.
	Program string
	File    string
	Leaves  string
	// End records what became of it and gives it back. It is called once; an error
	// means that nobody may have it.
	End func(made cellwall.KeptDataset, err error) error
}
